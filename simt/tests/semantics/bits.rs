//! Logic, shifts, bit fields, permutations, carries. The references follow the pseudo code of the PTX manual.

use super::{Result, case, check, check_guarded, inputs, integers, letter, low, signed};

#[test]
fn logic_and_counts() {
    let mut cases = vec![];
    for bits in [16u32, 32, 64] {
        let l = letter(bits);
        let binary = |op| format!("{op}.b{bits} %{l}0, %{l}1, %{l}2;");
        cases.push(case(binary("and"), Result::Bits(bits), |[a, b, _]| a & b));
        cases.push(case(binary("or"), Result::Bits(bits), |[a, b, _]| a | b));
        cases.push(case(binary("xor"), Result::Bits(bits), |[a, b, _]| a ^ b));
        cases.push(case(format!("not.b{bits} %{l}0, %{l}1;"), Result::Bits(bits), |[a, ..]| !a));
        if bits == 16 {
            continue;
        }
        let reverse = move |[a, ..]: [u64; 3]| (0..bits).fold(0, |r, i| r | (a >> i & 1) << (bits - 1 - i));
        cases.push(case(format!("brev.b{bits} %{l}0, %{l}1;"), Result::Bits(bits), reverse));
        let ones = move |[a, ..]: [u64; 3]| (0..bits).map(|i| a >> i & 1).sum();
        cases.push(case(format!("popc.b{bits} %r0, %{l}1;"), Result::Bits(32), ones));
        let zeros = move |[a, ..]: [u64; 3]| (0..bits).rev().take_while(|i| a >> i & 1 == 0).count() as u64;
        cases.push(case(format!("clz.b{bits} %r0, %{l}1;"), Result::Bits(32), zeros));
        for sign in ["u", "s"] {
            let find = move |a: u64| {
                let a = if sign == "s" && signed(a, bits) < 0 { !a } else { a };
                (0..bits).rev().find(|i| a >> i & 1 != 0)
            };
            let text = format!("bfind.{sign}{bits} %r0, %{l}1;");
            cases.push(case(text, Result::Bits(32), move |[a, ..]| find(a).map_or(u32::MAX, |i| i).into()));
            let text = format!("bfind.shiftamt.{sign}{bits} %r0, %{l}1;");
            cases.push(case(text, Result::Bits(32), move |[a, ..]| {
                find(a).map_or(u32::MAX, |i| bits - 1 - i).into()
            }));
        }
    }
    check(&cases, &inputs(&integers()));
}

/// Amounts beyond the width give 0, or the sign.
#[test]
fn shifts() {
    let mut cases = vec![];
    for bits in [16u32, 32, 64] {
        let l = letter(bits);
        let amount = |b: u64| (b as u32).min(127);
        let text = |op: &str| format!("{op}{bits} %{l}0, %{l}1, %r2;");
        let left = move |[a, b, _]: [u64; 3]| (u128::from(a) << amount(b)) as u64;
        cases.push(case(
            text("shl.b"),
            Result::Bits(bits),
            move |i| if amount(i[1]) < bits { left(i) } else { 0 },
        ));
        let right = move |[a, b, _]: [u64; 3]| (u128::from(low(a, bits)) >> amount(b)) as u64;
        cases.push(case(text("shr.u"), Result::Bits(bits), right));
        cases.push(case(text("shr.b"), Result::Bits(bits), right));
        let arithmetic = move |[a, b, _]: [u64; 3]| (signed(a, bits) >> amount(b)) as u64;
        cases.push(case(text("shr.s"), Result::Bits(bits), arithmetic));
    }
    for (side, left) in [("l", true), ("r", false)] {
        for (mode, clamp) in [("clamp", true), ("wrap", false)] {
            let expect = move |[a, b, c]: [u64; 3]| {
                let n = if clamp { (c as u32).min(32) } else { c as u32 & 31 };
                let (a, b) = (u64::from(a as u32), u64::from(b as u32));
                if left { b << n | a >> (32 - n) } else { b << (32 - n) | a >> n }
            };
            cases.push(case(format!("shf.{side}.{mode}.b32 %r0, %r1, %r2, %r3;"), Result::Bits(32), expect));
        }
    }
    check(&cases, &inputs(&integers()));
}

/// Positions and lengths count modulo 256.
#[test]
fn bit_fields() {
    let mut cases = vec![];
    for bits in [32u32, 64] {
        let l = letter(bits);
        for sign in ["u", "s"] {
            let extract = move |[a, b, c]: [u64; 3]| {
                let (pos, len) = (b as u32 & 0xff, c as u32 & 0xff);
                let fill = sign == "s" && len > 0 && a >> (pos + len - 1).min(bits - 1) & 1 != 0;
                let bit = |i| if i < len && pos + i < bits { a >> (pos + i) & 1 } else { fill.into() };
                (0..bits).fold(0, |r, i| r | bit(i) << i)
            };
            cases.push(case(
                format!("bfe.{sign}{bits} %{l}0, %{l}1, %r2, %r3;"),
                Result::Bits(bits),
                extract,
            ));
        }
        // Position and length are two bytes of one source, since there are three sources only.
        let insert = move |[a, b, c]: [u64; 3]| {
            let (pos, len) = (c as u32 & 0xff, (c >> 8) as u32 & 0xff);
            (0..len.min(bits))
                .take_while(|i| pos + i < bits)
                .fold(b, |r, i| r & !(1 << (pos + i)) | (a >> i & 1) << (pos + i))
        };
        let text = format!("shr.u32 %r4, %r3, 8; @%p7 bfi.b{bits} %{l}0, %{l}1, %{l}2, %r3, %r4;");
        cases.push(case(text, Result::Bits(bits), insert));
    }
    let mut inputs = inputs(&integers());
    let fields = (0..70u64)
        .flat_map(|pos| [0, 1, 5, 31, 32, 33, 63, 64, 200].map(|len| [0xfedc_ba98_7654_3210, pos, len]));
    inputs.extend(fields.clone());
    inputs.extend(fields.map(|[a, pos, len]| [a, !a, pos | len << 8]));
    let (extracts, inserts): (Vec<_>, Vec<_>) =
        cases.into_iter().partition(|case| case.text.starts_with("bfe"));
    check(&extracts, &inputs);
    check_guarded(&inserts, &inputs);
}

#[test]
fn permutation_and_tables() {
    let permute = |[a, b, c]: [u64; 3]| {
        let bytes = (u64::from(b as u32) << 32 | u64::from(a as u32)).to_le_bytes();
        (0..4).fold(0, |r, i| {
            let selector = c >> (4 * i) & 15;
            let byte = bytes[selector as usize & 7];
            let byte = if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
            r | u64::from(byte) << (8 * i)
        })
    };
    let mut cases = vec![case("prmt.b32 %r0, %r1, %r2, %r3;", Result::Bits(32), permute)];
    for table in [0x00u64, 0x01, 0x80, 0x96, 0xe8, 0xca, 0xf0, 0xcc, 0xaa, 0x1e, 0xff] {
        let expect = move |[a, b, c]: [u64; 3]| {
            (0..32).fold(0, |r, i| {
                let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
                r | (table >> index & 1) << i
            })
        };
        cases.push(case(format!("lop3.b32 %r0, %r1, %r2, %r3, {table};"), Result::Bits(32), expect));
    }
    check(&cases, &inputs(&integers()));
}

/// Sums and products of twice and three times the width, by chains over the carry flag.
#[test]
fn carries() {
    let wide = |high: u64, low: u64, bits| u128::from(high) << bits | u128::from(super::low(low, bits));
    let mut cases = vec![];
    for bits in [32u32, 64] {
        let l = letter(bits);
        let ty = format!("u{bits}");
        // (a, b) + (b, c), upper half; and the carry out of it.
        let add = move |[a, b, c]: [u64; 3]| (wide(a, b, bits).wrapping_add(wide(b, c, bits)) >> bits) as u64;
        let text = format!("add.cc.{ty} %{l}4, %{l}2, %{l}3; @%p7 addc.{ty} %{l}0, %{l}1, %{l}2;");
        cases.push(case(text, Result::Bits(bits), add));
        let subtract =
            move |[a, b, c]: [u64; 3]| (wide(a, b, bits).wrapping_sub(wide(b, c, bits)) >> bits) as u64;
        let text = format!("sub.cc.{ty} %{l}4, %{l}2, %{l}3; @%p7 subc.{ty} %{l}0, %{l}1, %{l}2;");
        cases.push(case(text, Result::Bits(bits), subtract));
        let carry = move |[a, b, _]: [u64; 3]| {
            u64::from((u128::from(low(a, bits)) + u128::from(low(b, bits)) + 1) >> bits != 0)
        };
        let text = format!(
            "add.cc.{ty} %{l}4, -1, 1; @%p7 addc.cc.{ty} %{l}4, %{l}1, %{l}2; @%p7 addc.{ty} %{l}0, 0, 0;"
        );
        cases.push(case(text, Result::Bits(bits), carry));
        let borrow = move |[a, b, _]: [u64; 3]| {
            let borrows = u128::from(low(a, bits)) < u128::from(low(b, bits)) + 1;
            if borrows { low(u64::MAX, bits) } else { 0 }
        };
        let text = format!(
            "sub.cc.{ty} %{l}4, 0, 1; @%p7 subc.cc.{ty} %{l}4, %{l}1, %{l}2; @%p7 subc.{ty} %{l}0, 0, 0;"
        );
        cases.push(case(text, Result::Bits(bits), borrow));
        // Upper half of a * b + (c, c).
        let product = move |[a, b, c]: [u64; 3]| {
            let (x, y) = (u128::from(low(a, bits)), u128::from(low(b, bits)));
            ((x * y).wrapping_add(wide(low(c, bits), c, bits)) >> bits) as u64
        };
        let text = format!(
            "mad.lo.cc.{ty} %{l}4, %{l}1, %{l}2, %{l}3; @%p7 madc.hi.{ty} %{l}0, %{l}1, %{l}2, %{l}3;"
        );
        cases.push(case(text, Result::Bits(bits), product));
        let text = format!(
            "mad.lo.cc.s{bits} %{l}4, %{l}1, %{l}2, %{l}3; @%p7 madc.hi.s{bits} %{l}0, %{l}1, %{l}2, %{l}3;"
        );
        let product = move |[a, b, c]: [u64; 3]| {
            let x = signed(a, bits) * signed(b, bits);
            ((x as u128).wrapping_add(wide(low(c, bits), c, bits)) >> bits) as u64
        };
        cases.push(case(text, Result::Bits(bits), product));
    }
    check_guarded(&cases, &inputs(&integers()));
}
