//! Integer arithmetic and comparisons.

use super::{Case, Result, case, check, check_guarded, inputs, integers, letter, low, number, width};

const TYPES: [&str; 6] = ["u16", "s16", "u32", "s32", "u64", "s64"];

/// `op.ty d, a, b` on registers of the type.
fn binary(op: &str, ty: &'static str, expect: impl Fn(i128, i128) -> i128 + 'static) -> Case {
    let l = letter(width(ty));
    let expect = move |[a, b, _]: [u64; 3]| low(expect(number(ty, a), number(ty, b)) as u64, width(ty));
    case(format!("{op}.{ty} %{l}0, %{l}1, %{l}2;"), Result::Bits(width(ty)), expect)
}

/// The 2w bits of the product.
fn product(ty: &str, a: i128, b: i128) -> u128 {
    let wide = (a as u128).wrapping_mul(b as u128);
    if width(ty) == 64 { wide } else { wide & ((1 << (2 * width(ty))) - 1) }
}

#[test]
fn sums_and_products() {
    let mut cases = vec![];
    for ty in TYPES {
        let (bits, l) = (width(ty), letter(width(ty)));
        cases.push(binary("add", ty, |a, b| a + b));
        cases.push(binary("sub", ty, |a, b| a - b));
        cases.push(binary("mul.lo", ty, move |a, b| product(ty, a, b) as i128));
        cases.push(binary("mul.hi", ty, move |a, b| (product(ty, a, b) >> bits) as i128));
        cases.push(binary("min", ty, i128::min));
        cases.push(binary("max", ty, i128::max));
        for (half, shift) in [("lo", 0), ("hi", bits)] {
            let expect = move |[a, b, c]: [u64; 3]| {
                let half = (product(ty, number(ty, a), number(ty, b)) >> shift) as u64;
                low(half.wrapping_add(c), bits)
            };
            cases.push(case(
                format!("mad.{half}.{ty} %{l}0, %{l}1, %{l}2, %{l}3;"),
                Result::Bits(bits),
                expect,
            ));
        }
        let expect = move |[a, b, c]: [u64; 3]| {
            low((number(ty, a) - number(ty, b)).unsigned_abs() as u64, bits).wrapping_add(c)
        };
        let text = format!("sad.{ty} %{l}0, %{l}1, %{l}2, %{l}3;");
        cases.push(case(text, Result::Bits(bits), move |all| low(expect(all), bits)));
        if bits == 32 {
            let part =
                move |x: i128| if ty == "s32" { (x as i32) << 8 >> 8 } else { x as i32 & 0xff_ffff } as i128;
            cases.push(binary("mul24.lo", ty, move |a, b| part(a) * part(b)));
            cases.push(binary("mul24.hi", ty, move |a, b| (part(a) * part(b)) >> 16));
        }
        if bits < 64 {
            let w = letter(2 * bits);
            let wide = move |a, b| product(ty, number(ty, a), number(ty, b)) as u64;
            let text = format!("mul.wide.{ty} %{w}0, %{l}1, %{l}2;");
            cases.push(case(text, Result::Bits(2 * bits), move |[a, b, _]| wide(a, b)));
            let text = format!("mad.wide.{ty} %{w}0, %{l}1, %{l}2, %{w}3;");
            cases.push(case(text, Result::Bits(2 * bits), move |[a, b, c]| wide(a, b).wrapping_add(c)));
        }
        if ty.starts_with('s') {
            let text = |op| format!("{op}.{ty} %{l}0, %{l}1;");
            cases.push(case(text("neg"), Result::Bits(bits), move |[a, ..]| low(a.wrapping_neg(), bits)));
            cases.push(case(text("abs"), Result::Bits(bits), move |[a, ..]| {
                low(number(ty, a).unsigned_abs() as u64, bits)
            }));
        }
    }
    for (op, sign) in [("add", 1), ("sub", -1)] {
        cases.push(binary(&format!("{op}.sat"), "s32", move |a, b| {
            (a + sign * b).clamp(i32::MIN.into(), i32::MAX.into())
        }));
    }
    check(&cases, &inputs(&integers()));
}

/// Without zero as divisor, for which PTX promises nothing.
#[test]
fn quotients() {
    let inputs: Vec<_> = inputs(&integers()).into_iter().filter(|[_, b, _]| low(*b, 16) != 0).collect();
    let cases = TYPES.map(|ty| [binary("div", ty, |a, b| a / b), binary("rem", ty, |a, b| a % b)]);
    check(&cases.into_iter().flatten().collect::<Vec<_>>(), &inputs);
}

/// Division by zero gives some value, and the next instruction is executed.
#[test]
fn division_by_zero_does_not_stop() {
    let zero = |ty: &str, op: &str| {
        let l = letter(width(ty));
        let text = format!("{op}.{ty} %{l}4, %{l}1, %{l}2; @%p7 setp.eq.{ty} %p0, %{l}2, 0;");
        case(text, Result::Predicate, |_| 1)
    };
    let cases: Vec<_> = TYPES.iter().flat_map(|ty| [zero(ty, "div"), zero(ty, "rem")]).collect();
    let inputs: Vec<_> = integers().into_iter().map(|a| [a, 0, 0]).collect();
    check_guarded(&cases, &inputs);
}

#[test]
fn comparisons() {
    type Compare = fn(&i128, &i128) -> bool;
    let signed: [(&str, Compare); 6] = [
        ("eq", i128::eq),
        ("ne", i128::ne),
        ("lt", i128::lt),
        ("le", i128::le),
        ("gt", i128::gt),
        ("ge", i128::ge),
    ];
    let unsigned: [(&str, Compare); 4] =
        [("lo", i128::lt), ("ls", i128::le), ("hi", i128::gt), ("hs", i128::ge)];
    let mut cases = vec![];
    for ty in TYPES.into_iter().chain(["b16", "b32", "b64"]) {
        let l = letter(width(ty));
        let names = signed.iter().take(if ty.starts_with('b') { 2 } else { 6 });
        for (name, compare) in names.chain(unsigned.iter().filter(|_| ty.starts_with('u'))).copied() {
            let expect = move |[a, b, _]: [u64; 3]| u64::from(compare(&number(ty, a), &number(ty, b)));
            cases.push(case(format!("setp.{name}.{ty} %p0, %{l}1, %{l}2;"), Result::Predicate, expect));
        }
    }
    check(&cases, &inputs(&integers()));
}

/// `setp` with a boolean operation and a second result, each also with the inverse of the other predicate.
#[test]
fn combined_comparisons() {
    let mut cases = vec![];
    type Operation = (&'static str, fn(bool, bool) -> bool);
    let operations: [Operation; 3] = [("and", |x, y| x & y), ("or", |x, y| x | y), ("xor", |x, y| x ^ y)];
    for (name, combine) in operations {
        for (not, flip) in [("", false), ("!", true)] {
            let other = move |a: u64| (a & 1 != 0) ^ flip;
            let less = |a: u64, b: u64| (a as i32) < b as i32;
            let first = format!("setp.lt.{name}.s32 %p0, %r1, %r2, {not}%p1;");
            cases.push(case(first, Result::Predicate, move |[a, b, _]| combine(less(a, b), other(a)).into()));
            let second = format!("setp.lt.{name}.s32 _|%p0, %r1, %r2, {not}%p1;");
            cases.push(case(second, Result::Predicate, move |[a, b, _]| {
                combine(!less(a, b), other(a)).into()
            }));
        }
    }
    cases.push(case("setp.lt.s32 %p3|%p0, %r1, %r2;", Result::Predicate, |[a, b, _]| {
        (a as i32 >= b as i32).into()
    }));
    check(&cases, &inputs(&integers()));
}

#[test]
fn selection_and_predicates() {
    let mut cases = vec![];
    for bits in [16, 32, 64] {
        let l = letter(bits);
        let text = format!("selp.b{bits} %{l}0, %{l}2, %{l}3, %p1;");
        cases.push(case(text, Result::Bits(bits), |[a, b, c]| if a & 1 != 0 { b } else { c }));
    }
    let both = |op| format!("{op}.pred %p0, %p1, %p2;");
    cases.push(case(both("and"), Result::Predicate, |[a, b, _]| a & b & 1));
    cases.push(case(both("or"), Result::Predicate, |[a, b, _]| (a | b) & 1));
    cases.push(case(both("xor"), Result::Predicate, |[a, b, _]| (a ^ b) & 1));
    cases.push(case("not.pred %p0, %p1;", Result::Predicate, |[a, ..]| !a & 1));
    cases.push(case("mov.pred %p0, %p2;", Result::Predicate, |[_, b, _]| b & 1));
    cases.push(case("mov.pred %p0, 1;", Result::Predicate, |_| 1));
    check(&cases, &inputs(&integers()));
}
