//! What an address is in the host program, for reports: a kernel that got a pointer of the host is a common mistake.

/// The memory of the host program that holds `address`, in words; `None` if none does, or if the system does not say.
pub fn holder(address: u64) -> Option<String> {
    name(&std::fs::read_to_string("/proc/self/maps").ok()?, address)
}

/// The same from the text of `/proc/self/maps` (proc_pid_maps(5)): `start-end permissions offset device inode  name`.
fn name(maps: &str, address: u64) -> Option<String> {
    let number = |text| u64::from_str_radix(text, 16).ok();
    let line = maps.lines().find(|line| {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let bounds = range.and_then(|(start, end)| Some(number(start)?..number(end)?));
        bounds.is_some_and(|bounds| bounds.contains(&address))
    })?;
    // A path may hold spaces: all behind the fifth field.
    let name =
        line.split_whitespace().nth(5).map_or("", |first| &line[line.find(first).unwrap_or(line.len())..]);
    Some(match name {
        "[stack]" => "the stack".to_owned(),
        "[heap]" | "" => "the heap or a thread's stack".to_owned(),
        other => format!("variables or code of {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0c0000000-55d0c0002000 rw-p 00000000 fe:00 42                         /home/me/my program
55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000100000 rw-p 00000000 00:00 0 
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
";

    #[test]
    fn the_parts_of_a_program_are_told_apart() {
        for (address, expected) in [
            (0x55d0_c000_0000, Some("variables or code of /home/me/my program")),
            (0x55d0_c000_1fff, Some("variables or code of /home/me/my program")),
            (0x55d0_c000_2000, None),
            (0x55d0_c100_0010, Some("the heap or a thread's stack")),
            (0x7f00_0000_0010, Some("the heap or a thread's stack")),
            (0x7ffd_0000_0010, Some("the stack")),
            (0x10, None),
        ] {
            assert_eq!(name(MAPS, address).as_deref(), expected, "{address:#x}");
        }
    }

    #[test]
    fn a_variable_of_this_program_is_found() {
        let here = 1u8;
        assert!(holder(&raw const here as u64).is_some());
    }
}
