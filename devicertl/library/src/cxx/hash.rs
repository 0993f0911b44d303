//! `std::_Hash_bytes` and `std::__detail::_Prime_rehash_policy`, of the unordered containers.

/// The policy: how full a table may be, and from how many elements on it must grow.
#[repr(C)]
pub struct Policy {
    most_load: f32,
    next_resize: usize,
}

/// The least prime that is not below `least`: libstdc++ has a table, the numbers of which may differ from these.
fn prime(least: u64) -> u64 {
    let is_prime = |n: &u64| {
        let mut divisor = 3;
        while divisor <= n / divisor {
            if n.is_multiple_of(divisor) {
                return false;
            }
            divisor += 2;
        }
        true
    };
    match least {
        ..=2 => 2,
        _ => (least | 1..).step_by(2).find(is_prime).unwrap_or(least),
    }
}

crate::c_functions! {
    /// `_M_next_bkt`: a number of buckets that is not below `least`.
    fn next_buckets as "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm" (policy: *mut Policy, least: u64) -> u64 {
        let buckets = prime(least);
        (*policy).next_resize = (buckets as f64 * f64::from((*policy).most_load)) as usize;
        buckets
    }
    /// `_M_need_rehash` as far as it is decided here: the number of buckets for `more` elements beside `elements` in `now` buckets, or 0
    /// if these will do.
    fn needed_buckets as "omptarget_cxx_buckets" (policy: *mut Policy, now: u64, elements: u64, more: u64) -> u64 {
        let most_load = f64::from((*policy).most_load);
        let all = elements + more;
        if all <= (*policy).next_resize as u64 {
            return 0;
        }
        // The first elements of an empty table get some room.
        let all = if (*policy).next_resize == 0 { all.max(11) } else { all };
        let least = (all as f64 / most_load) as u64;
        if least < now {
            (*policy).next_resize = (now as f64 * most_load) as usize;
            return 0;
        }
        next_buckets(policy, (least + 1).max(2 * now))
    }
    /// `std::_Hash_bytes`: MurmurHash64A, the numbers of which are the host's.
    fn hash_bytes as "_ZSt11_Hash_bytesPKvmm" (bytes: *const u8, count: usize, seed: u64) -> u64 {
        const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
        let mixed = |value: u64| value ^ value >> 47;
        let little_endian = |at: usize, count: usize| {
            (0..count).fold(0u64, |value, k| value | u64::from(bytes.add(at + k).read()) << (8 * k))
        };
        let mut hash = seed ^ (count as u64).wrapping_mul(FACTOR);
        let whole = count & !7;
        for at in (0..whole).step_by(8) {
            let word = mixed(little_endian(at, 8).wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
            hash = (hash ^ word).wrapping_mul(FACTOR);
        }
        if whole < count {
            hash = (hash ^ little_endian(whole, count - whole)).wrapping_mul(FACTOR);
        }
        mixed(mixed(hash).wrapping_mul(FACTOR))
    }
}
