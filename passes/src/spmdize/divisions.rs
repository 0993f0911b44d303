//! Divisions of which all threads need the result, and have the operands.
//!
//! The loops of `collapse` are one, and each iteration finds its numbers by a division, which nobody may do at another place: there the
//! divisor may be 0. All threads come to this place, and are quicker to divide than to be told.

use super::Body;
use super::role::{Role, Roles};
use crate::ir::{Inst, Opcode, Value};
use std::collections::HashSet;

/// The divisions behind what all threads store in their copies of variables, where no operand is a matter of thread 0.
pub(super) fn find(body: &Body, roles: &Roles) -> HashSet<Inst> {
    let stores = body.function.instructions().filter(|inst| inst.opcode() == Opcode::LLVMStore);
    let for_all = stores.filter(|store| roles.role(*store) == Role::All);
    for_all.filter_map(|store| behind(store.operand(0), roles)).flatten().collect()
}

/// The divisions on which a value depends; none if it depends on anything else that only thread 0 does.
fn behind(value: Value, roles: &Roles) -> Option<Vec<Inst>> {
    let (mut divisions, mut seen) = (Vec::new(), HashSet::new());
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let Some(inst) = value.as_inst().filter(|inst| seen.insert(*inst)) else { continue };
        match roles.role(inst) {
            Role::All => continue,
            Role::Free => {}
            Role::Main if inst.is_division_in_place() => divisions.push(inst),
            Role::Main => return None,
        }
        work.extend(inst.operands());
    }
    Some(divisions)
}
