//! Calls through pointers of the host: which pointers the table translates.

mod machine;

use devicertl::indirect::__llvm_omp_indirect_call_lookup;

/// Looks every address up to 100 up in a table of `hosts`, where address h is 1000 + h on the device.
fn check(hosts: &[u64]) {
    let table: Vec<[u64; 2]> = hosts.iter().map(|host| [*host, 1000 + host]).collect();
    machine::set_environment(|environment| {
        environment.indirect_call_table = table.as_ptr() as u64;
        environment.indirect_call_table_size = table.len() as u64;
    });
    for address in 0..100 {
        let wanted = if hosts.contains(&address) { 1000 + address } else { address };
        let got = __llvm_omp_indirect_call_lookup(address as *mut u8) as u64;
        assert_eq!(got, wanted, "{address} in {hosts:?}");
    }
}

#[test]
fn known_pointers_are_translated_and_others_stay() {
    check(&[]);
    check(&[50]);
    for pairs in 2..=9 {
        check(&(0..pairs).map(|i| 10 + 7 * i).collect::<Vec<_>>());
    }
}
