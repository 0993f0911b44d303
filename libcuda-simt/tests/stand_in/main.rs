//! The library as programs see it: its symbols, and programs that open or link the driver.

mod again;
mod images;
mod symbols;
mod with_cudarc;
mod with_cust;
