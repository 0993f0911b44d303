//! `std::__detail::_List_node_base`: the ring of nodes of `std::list`.

/// A node.
#[repr(C)]
pub struct Node {
    next: *mut Node,
    previous: *mut Node,
}

unsafe fn join(first: *mut Node, second: *mut Node) {
    // SAFETY: the caller's nodes.
    unsafe {
        (*first).next = second;
        (*second).previous = first;
    }
}

crate::c_functions! {
    /// `_M_hook`: `node` becomes the one before `position`.
    fn hook as "_ZNSt8__detail15_List_node_base7_M_hookEPS0_" (node: *mut Node, position: *mut Node) {
        join((*position).previous, node);
        join(node, position);
    }
    /// `_M_unhook`.
    fn unhook as "_ZNSt8__detail15_List_node_base9_M_unhookEv" (node: *mut Node) {
        join((*node).previous, (*node).next);
    }
    /// `_M_transfer`: the nodes from `first` on before `last` go before `position`.
    fn transfer as "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_" (position: *mut Node, first: *mut Node, last: *mut Node) {
        if position == last || first == last {
            return;
        }
        let (before, end) = ((*position).previous, (*last).previous);
        join((*first).previous, last);
        join(before, first);
        join(end, position);
    }
    /// `swap` of two lists' ends.
    fn swap as "_ZNSt8__detail15_List_node_base4swapERS0_S1_" (a: *mut Node, b: *mut Node) {
        core::ptr::swap(a, b);
        // A list without nodes is its own neighbour; it has the other's address by now.
        for (end, other) in [(a, b), (b, a)] {
            let (next, previous) = if (*end).next == other { (end, end) } else { ((*end).next, (*end).previous) };
            join(end, next);
            join(previous, end);
        }
    }
    /// `_M_reverse`.
    fn reverse as "_ZNSt8__detail15_List_node_base10_M_reverseEv" (ring: *mut Node) {
        let mut node = ring;
        loop {
            let next = (*node).next;
            ((*node).next, (*node).previous) = ((*node).previous, next);
            node = next;
            if node == ring {
                break;
            }
        }
    }
}
