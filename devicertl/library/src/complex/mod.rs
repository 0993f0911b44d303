//! Complex numbers: what compilers call for products and quotients, and `<complex.h>`.

pub mod functions;
mod hyperbolic;
mod inverse;
mod power;
pub mod product;

/// A number: its real and its imaginary part.
type Number = [f64; 2];

/// Both parts unknown.
const NAN: Number = [f64::NAN; 2];

/// `i` times the function of `-i` times the number: what the functions of angles are to those of hyperbolas.
fn turned(function: fn(Number) -> Number, [x, y]: Number) -> Number {
    let [a, b] = function([y, x]);
    [b, a]
}
