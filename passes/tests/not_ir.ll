; A file that is no IR.
; ERROR: is no LLVM IR that LLVM <*> reads
int main() { return 0; }
