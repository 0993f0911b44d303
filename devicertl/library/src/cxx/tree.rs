//! `std::_Rb_tree_node_base`: the red-black tree of `std::map` and `std::set`.
//!
//! A tree's header is a node whose parent is the root, and whose left and right are the least and the greatest node; it is red, which tells
//! it from a root.

use core::ptr::null_mut;

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    Red = 0,
    Black = 1,
}

/// A node. The functions of this file take nodes of one tree that nobody else changes, and its header.
#[repr(C)]
pub struct Node {
    color: Color,
    parent: Link,
    /// Left and right.
    child: [Link; 2],
}

type Link = *mut Node;

const LEFT: usize = 0;
const RIGHT: usize = 1;

/// The node that is outermost on a side below `node`.
unsafe fn outermost(mut node: Link, side: usize) -> Link {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe {
        while !(*node).child[side].is_null() {
            node = (*node).child[side];
        }
    }
    node
}

/// On which side of its parent a node is.
unsafe fn side_of(node: Link) -> usize {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe { if (*(*node).parent).child[LEFT] == node { LEFT } else { RIGHT } }
}

unsafe fn is_black(node: Link) -> bool {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe { node.is_null() || (*node).color == Color::Black }
}

/// The next node on a side.
unsafe fn step(mut node: Link, side: usize) -> Link {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe {
        let other = 1 - side;
        let is_header = (*node).color == Color::Red && (*(*node).parent).parent == node;
        if is_header && side == LEFT {
            return (*node).child[RIGHT];
        }
        if !(*node).child[side].is_null() {
            return outermost((*node).child[side], other);
        }
        let mut above = (*node).parent;
        while node == (*above).child[side] {
            node = above;
            above = (*above).parent;
        }
        // From the root, without nodes on that side, the header is reached twice.
        if side == RIGHT && (*node).child[RIGHT] == above { node } else { above }
    }
}

/// Puts `new`, which may be none, where `old` hangs.
unsafe fn replace(old: Link, new: Link, header: Link) {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe {
        if (*header).parent == old {
            (*header).parent = new;
        } else {
            let side = side_of(old);
            (*(*old).parent).child[side] = new;
        }
        if !new.is_null() {
            (*new).parent = (*old).parent;
        }
    }
}

/// The child on the other side goes up, `node` goes down to `side`.
unsafe fn rotate(node: Link, side: usize, header: Link) {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe {
        let up = (*node).child[1 - side];
        let moved = (*up).child[side];
        (*node).child[1 - side] = moved;
        if !moved.is_null() {
            (*moved).parent = node;
        }
        replace(node, up, header);
        (*up).child[side] = node;
        (*node).parent = up;
    }
}

unsafe fn insert(left: bool, new: Link, parent: Link, header: Link) {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe {
        new.write(Node { color: Color::Red, parent, child: [null_mut(); 2] });
        if parent == header {
            (*header).parent = new;
            (*header).child = [new; 2];
        } else {
            let side = if left { LEFT } else { RIGHT };
            (*parent).child[side] = new;
            if (*header).child[side] == parent {
                (*header).child[side] = new;
            }
        }
        let mut node = new;
        while node != (*header).parent && (*(*node).parent).color == Color::Red {
            let mut above = (*node).parent;
            let top = (*above).parent;
            let side = side_of(above);
            let uncle = (*top).child[1 - side];
            if !is_black(uncle) {
                (*above).color = Color::Black;
                (*uncle).color = Color::Black;
                (*top).color = Color::Red;
                node = top;
                continue;
            }
            if side_of(node) != side {
                rotate(above, side, header);
                (node, above) = (above, node);
            }
            let _ = node;
            (*above).color = Color::Black;
            (*top).color = Color::Red;
            rotate(top, 1 - side, header);
            break;
        }
        (*(*header).parent).color = Color::Black;
    }
}

unsafe fn erase(node: Link, header: Link) -> Link {
    // SAFETY: nodes of the tree, as the caller promises.
    unsafe {
        // Where a black node will be missing: below `parent`, on `side`.
        let (removed, mut filler, mut parent, mut side);
        let [left, right] = (*node).child;
        if left.is_null() || right.is_null() {
            filler = if left.is_null() { right } else { left };
            (parent, side) = ((*node).parent, 0);
            if parent != header {
                side = side_of(node);
            }
            removed = (*node).color;
            for end in [LEFT, RIGHT] {
                if (*header).child[end] == node {
                    (*header).child[end] =
                        if filler.is_null() { (*node).parent } else { outermost(filler, end) };
                }
            }
            replace(node, filler, header);
        } else {
            // The next node takes its place and its color.
            let next = outermost(right, LEFT);
            filler = (*next).child[RIGHT];
            removed = (*next).color;
            if next == right {
                (parent, side) = (next, RIGHT);
            } else {
                (parent, side) = ((*next).parent, LEFT);
                replace(next, filler, header);
                (*next).child[RIGHT] = right;
                (*right).parent = next;
            }
            replace(node, next, header);
            (*next).child[LEFT] = left;
            (*left).parent = next;
            (*next).color = (*node).color;
        }
        if removed == Color::Red {
            return node;
        }
        while filler != (*header).parent && is_black(filler) {
            let mut sibling = (*parent).child[1 - side];
            if !is_black(sibling) {
                (*sibling).color = Color::Black;
                (*parent).color = Color::Red;
                rotate(parent, side, header);
                sibling = (*parent).child[1 - side];
            }
            if is_black((*sibling).child[LEFT]) && is_black((*sibling).child[RIGHT]) {
                (*sibling).color = Color::Red;
                filler = parent;
                parent = (*filler).parent;
                if parent != header {
                    side = side_of(filler);
                }
                continue;
            }
            if is_black((*sibling).child[1 - side]) {
                (*(*sibling).child[side]).color = Color::Black;
                (*sibling).color = Color::Red;
                rotate(sibling, 1 - side, header);
                sibling = (*parent).child[1 - side];
            }
            (*sibling).color = (*parent).color;
            (*parent).color = Color::Black;
            (*(*sibling).child[1 - side]).color = Color::Black;
            rotate(parent, side, header);
            break;
        }
        if !filler.is_null() {
            (*filler).color = Color::Black;
        }
        node
    }
}

crate::c_functions! {
    /// `std::_Rb_tree_increment`.
    fn increment as "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base" (node: *mut Node) -> *mut Node { step(node, RIGHT) }
    /// The same of a constant node.
    fn increment_constant as "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base" (node: *mut Node) -> *mut Node { step(node, RIGHT) }
    /// `std::_Rb_tree_decrement`.
    fn decrement as "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base" (node: *mut Node) -> *mut Node { step(node, LEFT) }
    /// The same of a constant node.
    fn decrement_constant as "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base" (node: *mut Node) -> *mut Node { step(node, LEFT) }
    /// `std::_Rb_tree_insert_and_rebalance`.
    fn insert_and_rebalance as "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_" (
        left: bool, new: *mut Node, parent: *mut Node, header: *mut Node,
    ) {
        insert(left, new, parent, header)
    }
    /// `std::_Rb_tree_rebalance_for_erase`: the node that is out of the tree then.
    fn rebalance_for_erase as "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_" (node: *mut Node, header: *mut Node) -> *mut Node {
        erase(node, header)
    }
}
