//! Loads and stores of all types through the spaces of a thread, and parameters by value.

use super::{Case, Input, Result, case, check_unguarded, inputs, integers, letter, low, number, width};

const TYPES: [&str; 14] =
    ["b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"];

/// Functions that the kernels of all cases can call.
pub const FUNCTIONS: &str = "
.func (.param .align 16 .b8 result[16]) swapped(.param .align 16 .b8 pair[16])
{
	.reg .b64 %a, %b;
	ld.param.v2.b64 {%a, %b}, [pair];
	st.param.v2.b64 [result], {%b, %a};
	ret;
}
.func (.param .b64 result) joined(.param .b8 a, .param .b16 b, .param .align 4 .b8 c[12], .param .b8 d)
{
	.reg .b32 %a, %b;
	.reg .b64 %x, %y;
	ld.param.s8 %a, [a];
	ld.param.u16 %b, [b];
	add.s32 %a, %a, %b;
	ld.param.s16 %b, [c+6];
	add.s32 %a, %a, %b;
	ld.param.u8 %b, [c+11];
	add.s32 %a, %a, %b;
	ld.param.u8 %b, [d];
	add.s32 %a, %a, %b;
	cvt.s64.s32 %x, %a;
	ld.param.b32 %a, [c];
	cvt.u64.u32 %y, %a;
	shl.b64 %y, %y, 32;
	xor.b64 %x, %x, %y;
	st.param.b64 [result], %x;
	ret;
}
.func (.param .b64 result) counted(.param .align 8 .b8 pair[16], .param .b32 times)
{
	.reg .b64 %p, %q, %x, %y;
	.reg .b32 %n;
	.reg .pred %more;
	ld.param.b32 %n, [times];
	mov.b64 %p, pair;
$again:
	setp.eq.s32 %more, %n, 0;
	@%more bra $done;
	mov.b64 %q, pair+8;
	ld.local.b64 %x, [%q];
	ld.param.b64 %y, [pair];
	add.s64 %x, %x, %y;
	st.local.b64 [%q], %x;
	cvta.local.u64 %p, %p;
	st.b64 [%p], %x;
	cvta.to.local.u64 %p, %p;
	sub.s32 %n, %n, 1;
	bra $again;
$done:
	ld.param.b64 %x, [pair+8];
	st.param.b64 [result], %x;
	ret;
}
";

/// The 16 bytes that the first two sources make.
fn bytes([a, b, _]: Input) -> [u8; 16] {
    (u128::from(b) << 64 | u128::from(a)).to_le_bytes()
}

/// Declares memory in a space, puts the first two sources there, and has its address in `%y`.
fn place(space: &str) -> String {
    let put = |suffix: &str| format!("st{suffix}.b64 [%y], %d1; st{suffix}.b64 [%y+8], %d2;");
    match space {
        ".local" => format!(".local .align 16 .b8 l[16]; .reg .b64 %y; mov.b64 %y, l; {}", put(".local")),
        ".shared" => format!(
            ".shared .align 16 .b8 s[2048]; .reg .b64 %y, %z; mov.u32 %r0, %tid.x; mul.wide.u32 %y, %r0, 16; mov.b64 %z, s; \
             add.s64 %y, %y, %z; {}",
            put(".shared")
        ),
        _ => format!(
            ".local .align 16 .b8 l[16]; .reg .b64 %y; mov.b64 %y, l; cvta.local.u64 %y, %y; {}",
            put("")
        ),
    }
}

/// Elements at each aligned offset, into registers of each width that holds them.
#[test]
fn loads() {
    for space in [".local", ".shared", ""] {
        let mut cases = vec![];
        for ty in TYPES {
            let size = width(ty) as usize / 8;
            for (register, offset) in
                [16, 32, 64].into_iter().filter(|r| *r >= width(ty)).zip([0, size, 16 - size])
            {
                let l = letter(register);
                let expect = move |input: Input| {
                    let mut word = [0; 8];
                    word[..size].copy_from_slice(&bytes(input)[offset..][..size]);
                    low(number(ty, u64::from_le_bytes(word)) as u64, register)
                };
                let text = format!("{} ld{space}.{ty} %{l}0, [%y+{offset}];", place(space));
                cases.push(case(text, Result::Bits(register), expect));
            }
        }
        check_unguarded(&cases, &inputs(&integers()));
    }
}

#[test]
fn stores() {
    for space in [".local", ".shared", ""] {
        let mut cases = vec![];
        for ty in TYPES {
            let size = width(ty) as usize / 8;
            for register in [16, 32, 64].into_iter().filter(|r| *r >= width(ty)) {
                let l = letter(register);
                let expect = move |input: Input| {
                    let mut memory = bytes(input);
                    memory[8 - size..8].copy_from_slice(&input[2].to_le_bytes()[..size]);
                    u64::from_le_bytes(memory[..8].try_into().unwrap())
                };
                let text = format!(
                    "{} st{space}.{ty} [%y+{}], %{l}3; ld{space}.b64 %d0, [%y];",
                    place(space),
                    8 - size
                );
                cases.push(case(text, Result::Bits(64), expect));
            }
        }
        check_unguarded(&cases, &inputs(&integers()));
    }
}

/// Vectors of two and four, with an element left out, a literal, and registers wider than the elements.
#[test]
fn vectors() {
    let joined = |a: u64, b: u64| a << 32 | low(b, 32);
    for space in [".local", ".shared", ""] {
        let start = place(space);
        let text = |rest: &str| format!("{start} {}", rest.replace('~', space));
        let cases = [
            case(text("ld~.v2.b64 {%d4, %d0}, [%y];"), Result::Bits(64), |[_, b, _]| b),
            case(
                text("ld~.v4.u32 {_, %r4, _, %r5}, [%y]; mov.b64 %d0, {%r4, %r5};"),
                Result::Bits(64),
                move |[a, b, _]| joined(b >> 32, a >> 32),
            ),
            case(
                text("ld~.v4.s8 {%r4, %r5, %r6, %r7}, [%y]; mov.b64 %d0, {%r5, %r7};"),
                Result::Bits(64),
                move |[a, ..]| joined(number("s8", a >> 24) as u64, number("s8", a >> 8) as u64),
            ),
            case(text("st~.v2.b32 [%y], {%r3, 7}; ld~.b64 %d0, [%y];"), Result::Bits(64), move |[.., c]| {
                joined(7, c)
            }),
            case(
                text("st~.v4.b16 [%y+8], {%h3, %h2, %h1, %h3}; ld~.b64 %d0, [%y+8];"),
                Result::Bits(64),
                |[a, b, c]| low(c, 16) | low(b, 16) << 16 | low(a, 16) << 32 | c << 48,
            ),
            case(text("st~.v2.u8 [%y], {%r2, %r3}; ld~.b16 %h0, [%y];"), Result::Bits(16), |[_, b, c]| {
                low(b, 8) | low(c, 8) << 8
            }),
        ];
        check_unguarded(&cases, &inputs(&integers()));
    }
}

#[test]
fn registers_are_joined_and_split() {
    let cases = [
        case("mov.b64 %d0, {%r1, %r2};", Result::Bits(64), |[a, b, _]| low(a, 32) | b << 32),
        case("mov.b32 %r0, {%h1, %h2};", Result::Bits(32), |[a, b, _]| low(a, 16) | low(b, 16) << 16),
        case("mov.b64 %d0, {%h1, %h2, %h3, %h1};", Result::Bits(64), |[a, b, c]| {
            low(a, 16) | low(b, 16) << 16 | low(c, 16) << 32 | a << 48
        }),
        case("mov.b64 {%r0, _}, %d1;", Result::Bits(32), |[a, ..]| a),
        case("mov.b64 {_, %r0}, %d1;", Result::Bits(32), |[a, ..]| a >> 32),
        case("mov.b32 {_, %h0}, %r1;", Result::Bits(16), |[a, ..]| a >> 16),
        case("mov.b64 {_, _, %h0, _}, %d1;", Result::Bits(16), |[a, ..]| a >> 32),
        case("mov.b64 %d0, %d1;", Result::Bits(64), |[a, ..]| a),
        case("mov.u32 %r0, -5;", Result::Bits(32), |_| 5u64.wrapping_neg()),
        case("mov.b16 %h0, 0xa55a;", Result::Bits(16), |_| 0xa55a),
    ];
    super::check(&cases, &inputs(&integers()));
}

/// Structures, small types and vectors by value, to a function and back.
#[test]
fn parameters_by_value() {
    let swapped = |take: &str| {
        format!(
            ".param .align 16 .b8 x[16]; .param .align 16 .b8 y[16]; st.param.b64 [x], %d1; st.param.b64 [x+8], %d2; \
             call (y), swapped, (x); {take}"
        )
    };
    let joined = ".param .b8 x; .param .b16 y; .param .align 4 .b8 z[12]; .param .b8 w; .param .b64 v; st.param.b8 [x], %r1; \
                  st.param.b16 [y], %h2; st.param.v2.b32 [z], {%r3, %r1}; st.param.b32 [z+8], %r2; st.param.b8 [w], %h3; \
                  call.uni (v), joined, (x, y, z, w); ld.param.b64 %d0, [v];";
    let expect = |[a, b, c]: Input| {
        let sum = number("s8", a)
            + number("u16", b)
            + number("s16", a >> 16)
            + number("u8", b >> 24)
            + number("u8", c);
        sum as u64 ^ c << 32
    };
    let cases = [
        case(swapped("ld.param.b64 %d0, [y];"), Result::Bits(64), |[_, b, _]| b),
        case(swapped("ld.param.v4.b32 {_, _, %r0, _}, [y];"), Result::Bits(32), |[a, ..]| a),
        case(joined, Result::Bits(64), expect),
    ];
    check_unguarded(&cases, &inputs(&integers()));
}

/// A parameter whose address is taken is one place: writes through the address stay, however often it is taken.
#[test]
fn address_of_a_parameter() {
    let counted = |times: u32| -> Case {
        let text = format!(
            ".param .align 8 .b8 x[16]; .param .b32 n; .param .b64 y; st.param.v2.b64 [x], {{%d1, %d2}}; \
             st.param.b32 [n], {times}; call (y), counted, (x, n); ld.param.b64 %d0, [y];"
        );
        case(text, Result::Bits(64), move |[mut a, mut b, _]| {
            for _ in 0..times {
                b = b.wrapping_add(a);
                a = b;
            }
            b
        })
    };
    check_unguarded(&[counted(0), counted(1), counted(5)], &inputs(&integers()));
}

/// The address of a kernel's parameter, as `ld.param`, a local and a generic address; other parameters stay registers.
#[test]
fn address_of_a_kernel_parameter() {
    let inputs = inputs(&integers());
    let count = inputs.len() as u64;
    let cases = [
        ".reg .b64 %y; mov.b64 %y, count; ld.param.b32 %r0, [%y];",
        ".reg .b64 %y; mov.b64 %y, count; ld.local.b32 %r0, [%y];",
        ".reg .b64 %y; mov.b64 %y, count; cvta.param.u64 %y, %y; ld.b32 %r0, [%y];",
        ".reg .b64 %y; mov.b64 %y, count; add.s64 %y, %y, 2; ld.param.s16 %r0, [%y+-2];",
    ];
    let cases = cases.map(|text| case(text, Result::Bits(32), move |_| count));
    check_unguarded(&cases, &inputs);
}
