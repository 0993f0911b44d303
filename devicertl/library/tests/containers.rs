//! What libstdc++'s containers are made of, against their rules.

use device_library::cxx::{hash, list, tree};
use std::collections::BTreeSet;
use std::ptr::null_mut;

/// A node as libstdc++ has it, with its number.
#[repr(C)]
struct TreeNode {
    red: u32,
    parent: *mut TreeNode,
    left: *mut TreeNode,
    right: *mut TreeNode,
    number: u32,
}

const BLACK: u32 = 1;

fn tree_node(number: u32) -> *mut TreeNode {
    Box::into_raw(Box::new(TreeNode {
        red: 0,
        parent: null_mut(),
        left: null_mut(),
        right: null_mut(),
        number,
    }))
}

/// Black nodes on each way down; the rules of a red-black tree hold below `node`.
unsafe fn blacks(node: *mut TreeNode, parent: *mut TreeNode) -> u32 {
    if node.is_null() {
        return 1;
    }
    // SAFETY: nodes of the test.
    unsafe {
        assert_eq!((*node).parent, parent);
        let children = [(*node).left, (*node).right];
        if (*node).red != BLACK {
            assert!(children.iter().all(|child| child.is_null() || (**child).red == BLACK), "two red nodes");
        }
        let [left, right] = children.map(|child| blacks(child, node));
        assert_eq!(left, right, "black nodes on different ways");
        left + u32::from((*node).red == BLACK)
    }
}

#[test]
fn trees() {
    let mut rng = fastrand::Rng::with_seed(1);
    for most in [3, 8, 40, 300] {
        let header = tree_node(u32::MAX);
        let mut wanted = BTreeSet::new();
        // SAFETY: an empty tree, and nodes of it.
        unsafe {
            ((*header).left, (*header).right) = (header, header);
            for _ in 0..2000 {
                let number = rng.u32(0..most);
                let (mut at, mut parent, mut left) = ((*header).parent, header, true);
                while !at.is_null() && (*at).number != number {
                    (parent, left) = (at, number < (*at).number);
                    at = if left { (*at).left } else { (*at).right };
                }
                if at.is_null() {
                    wanted.insert(number);
                    tree::insert_and_rebalance(left, tree_node(number).cast(), parent.cast(), header.cast());
                } else {
                    wanted.remove(&number);
                    let node = tree::rebalance_for_erase(at.cast(), header.cast()).cast::<TreeNode>();
                    assert_eq!((*node).number, number);
                    drop(Box::from_raw(node));
                }
                blacks((*header).parent, header);
                if !(*header).parent.is_null() {
                    assert_eq!((*(*header).parent).red, BLACK);
                }
                let mut numbers = Vec::new();
                let mut node = (*header).left;
                while node != header {
                    numbers.push((*node).number);
                    node = tree::increment(node.cast()).cast();
                }
                assert!(numbers.iter().eq(&wanted), "{numbers:?}");
                for wanted in numbers.iter().rev() {
                    node = tree::decrement_constant(node.cast()).cast();
                    assert_eq!((*node).number, *wanted);
                }
                assert_eq!(node, (*header).left);
            }
        }
    }
}

#[repr(C)]
struct ListNode {
    next: *mut ListNode,
    previous: *mut ListNode,
    number: u32,
}

fn ring() -> *mut ListNode {
    let ring = Box::into_raw(Box::new(ListNode { next: null_mut(), previous: null_mut(), number: 0 }));
    // SAFETY: a node of the test.
    unsafe { ((*ring).next, (*ring).previous) = (ring, ring) };
    ring
}

fn list_of(numbers: &[u32]) -> *mut ListNode {
    let ring = ring();
    for number in numbers {
        let node =
            Box::into_raw(Box::new(ListNode { next: null_mut(), previous: null_mut(), number: *number }));
        // SAFETY: nodes of the test.
        unsafe { list::hook(node.cast(), ring.cast()) };
    }
    ring
}

/// The numbers of a list, which are the same backwards.
fn numbers(ring: *mut ListNode) -> Vec<u32> {
    let (mut forwards, mut backwards) = (Vec::new(), Vec::new());
    // SAFETY: nodes of the test.
    unsafe {
        let mut node = (*ring).next;
        while node != ring {
            forwards.push((*node).number);
            node = (*node).next;
        }
        node = (*ring).previous;
        while node != ring {
            backwards.push((*node).number);
            node = (*node).previous;
        }
    }
    backwards.reverse();
    assert_eq!(forwards, backwards);
    forwards
}

#[test]
fn lists() {
    // SAFETY: nodes of the test.
    unsafe {
        let a = list_of(&[1, 2, 3, 4]);
        assert_eq!(numbers(a), [1, 2, 3, 4]);
        list::unhook((*(*a).next).next.cast());
        assert_eq!(numbers(a), [1, 3, 4]);
        list::reverse(a.cast());
        assert_eq!(numbers(a), [4, 3, 1]);
        let b = list_of(&[7, 8, 9]);
        list::transfer((*(*a).next).next.cast(), (*b).next.cast(), (*b).previous.cast());
        assert_eq!((numbers(a), numbers(b)), (vec![4, 7, 8, 3, 1], vec![9]));
        list::transfer(a.cast(), (*a).next.cast(), (*(*a).next).next.cast());
        assert_eq!(numbers(a), [7, 8, 3, 1, 4]);
        list::swap(a.cast(), b.cast());
        assert_eq!((numbers(a), numbers(b)), (vec![9], vec![7, 8, 3, 1, 4]));
        let empty = ring();
        list::swap(a.cast(), empty.cast());
        assert_eq!((numbers(a), numbers(empty)), (vec![], vec![9]));
        list::swap(a.cast(), empty.cast());
        assert_eq!((numbers(a), numbers(empty)), (vec![9], vec![]));
        let other = ring();
        list::swap(other.cast(), empty.cast());
        assert_eq!((numbers(other), numbers(empty)), (vec![], vec![]));
    }
}

#[test]
fn tables_are_never_fuller_than_allowed() {
    #[repr(C)]
    struct Policy(f32, usize);
    for load in [1.0, 0.5, 3.0] {
        let (mut policy, mut buckets, mut growths) = (Policy(load, 0), 1, 0);
        for elements in 0..5000 {
            // SAFETY: a policy as libstdc++ has it.
            let needed = unsafe { hash::needed_buckets((&raw mut policy).cast(), buckets, elements, 1) };
            if needed != 0 {
                assert!(needed > buckets);
                assert!((2..needed).all(|divisor| needed % divisor != 0), "{needed} is no prime");
                (buckets, growths) = (needed, growths + 1);
            }
            assert!((elements + 1) as f32 <= load * buckets as f32, "{} in {buckets}", elements + 1);
        }
        assert!(growths < 16, "{growths}");
    }
}
