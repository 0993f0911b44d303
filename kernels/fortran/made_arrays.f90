! Arrays made of others' elements in target regions, for which flang calls its runtime: TRANSPOSE, SPREAD, PACK, UNPACK, CSHIFT,
! EOSHIFT, RESHAPE, and assignments with a mask; of numbers of all sizes and of text. Also by many threads at once.
program made_arrays
  implicit none
  integer, parameter :: rows = 3, columns = 4, all = rows * columns
  integer(4) :: a4(rows, columns), v4(all), r4(all, 12), p4(2), teams(40, 4)
  integer(2) :: a2(rows, columns), r2(all, 6)
  real(8) :: a8(rows, columns), r8(all, 12)
  complex(4) :: c(rows, columns), rc(all, 3)
  character(5) :: words(4), rw(4, 4)
  logical :: mask(rows, columns)
  integer :: i, j, shifts(columns), order(2), shape(2)

  v4 = [(i * i - 7 * i, i = 1, all)]
  a4 = reshape(v4, [rows, columns])
  a2 = int(a4, 2); a8 = a4 / 4d0; c = cmplx(a4, -a4)
  words = ['one  ', 'two  ', 'three', 'four ']
  mask = mod(a4, 4) == 0
  shifts = [1, -1, 0, 5]
  order = [2, 1]
  shape = [4, 3]
  p4 = [77, 88]
  r4 = 0; r2 = 0; r8 = 0; rc = 0; rw = ''; teams = 0

  !$omp target map(tofrom: r4, r2, r8, rc, rw)
  r4(:, 1) = reshape(transpose(a4), [all])
  r8(:, 1) = reshape(transpose(a8), [all])
  rc(:, 1) = reshape(transpose(c), [all])
  r4(:, 2) = reshape(spread(v4(1:4), 1, 3), [all])
  r8(:, 2) = reshape(spread(a8(:, 2), 2, 4), [all])
  r2(:, 1) = reshape(spread(a2(2, :), 1, 3), [all])
  r4(1:5, 3) = spread(9, 1, 5)
  r4(1:count(mask), 4) = pack(a4, mask)
  r8(:, 3) = pack(a8, mask, a8(1, 1) + [(1d0 * i, i = 1, all)])
  r4(1:all, 5) = pack(a4, .true.)
  r4(:, 6) = reshape(unpack(v4, mask, a4 + 1), [all])
  r8(:, 4) = reshape(unpack([(1d0 * i, i = 1, all)], mask, -1d0), [all])
  r4(:, 7) = cshift(v4, 5)
  r8(:, 5) = reshape(cshift(a8, -1, 2), [all])
  r2(:, 2) = reshape(cshift(a2, shifts, 1), [all])
  r4(:, 8) = eoshift(v4, -3)
  r8(:, 6) = reshape(eoshift(a8, 2, 0.5d0, 2), [all])
  r2(:, 3) = reshape(eoshift(a2, shifts, dim=1), [all])
  rc(:, 2) = reshape(cshift(c, 1), [all])
  r4(:, 9) = reshape(reshape(v4, shape, order=order), [all])
  r4(:, 10) = reshape(reshape(v4(1:5), shape, pad=p4), [all])
  r8(:, 7) = reshape(reshape(a8(:, 1:2), [4, 3], [0.25d0], order), [all])
  rw(:, 1) = cshift(words, 1)
  rw(:, 2) = eoshift(words, 1)
  rw(:, 3) = pack(words, [.true., .false., .true., .false.], ['a', 'b', 'c', 'd'] // '    ')
  where (mask)
    a4 = 100
  elsewhere
    a4 = cshift(a4, 1)
  end where
  r4(:, 11) = reshape(a4, [all])
  !$omp end target

  !$omp target teams distribute parallel do map(tofrom: teams)
  do i = 1, 40
    teams(i, :) = cshift([i, 2 * i, 3 * i, 4 * i], i) + matmul(reshape([1, 2, 3, 4, 5, 6, 7, 8], [4, 2]), [i, 1])
  end do

  print '(12i6)', r4(:, 1:11)
  print '(12i6)', r2(:, 1:3)
  print '(12f8.2)', r8(:, 1:7)
  print '(12f8.1)', rc(:, 1:2)
  print '(4a8)', rw(:, 1:3)
  print '(8i8)', ((teams(i, j), j = 1, 4), i = 1, 40)
end program
