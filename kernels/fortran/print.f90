! `print *` in target regions: numbers of all kinds and sizes, text, logical values, arrays, lines that are full, and many threads.
program prints
  implicit none
  real(8) :: x(33), zero
  integer :: i
  zero = 0
  x = [0d0, -0d0, 1d0, 1.5d0, 0.1d0, 0.01d0, 0.012345d0, 1d-7, 1d5, 123456d0, 1234567d0, 1d14, 1d15, 1d16, 123456789012345678d0, &
    1d100, 1d-100, 5d-324, 1.7976931348623157d308, 3.141592653589793d0, -2.5d0, 99999999999999.9d0, 1d0 / 3, 2d0 / 3 * 1d16, &
    1d-1 / 3, 100d0, 12d0, 0.5d0, 0.25d0, 1d22, 1d23, 9007199254740993d0, 4.35d0]
  !$omp target map(to: x, zero)
  do i = 1, size(x)
    print *, x(i), real(x(i), 4)
  end do
  print *, 1 / zero, -1 / zero, zero / zero
  print *, 1, -2, 3_8, 4_1, 'abc', 'def', 5, .true., .false., -7_2, -huge(1_8) - 1, huge(1_8), -128_1
  print *, 'hello', 1.0, 'x', '', 6
  print *, ''
  print *
  print *, [(i * 1000, i = 1, 40)]
  print *, x(1:12)
  print *, [.true., .false.], ['ab', 'cd'], x(10:1:-3)
  ! A line has 79 letters.
  print *, repeat('0123456789', 20)
  print *, 'a', repeat('b', 77), 'c', 'd', 5
  print *, 'a', repeat('b', 77), 5, 'c'
  print *, 'a', repeat('b', 76), 'cd', 5
  print *, 'a', repeat('b', 77), .true., 'c'
  print *, repeat('b', 78), 1.5, 'c'
  print *, 1, repeat('b', 75), 2, 'q'
  print *, 1, repeat('b', 76), 'cc', 1.5, 'c'
  print *, 1, repeat('b', 77), 'cc', 1.5, 'c'
  !$omp end target

  !$omp target teams distribute parallel do
  do i = 1, 300
    write (*, *) 'of many', mod(i, 1), 0.125
  end do
end program
