! Functions of text and of single numbers in target regions for which flang calls its runtime: comparisons, searches, lengths, and
! real numbers taken apart.
program text_and_numbers
  implicit none
  integer, parameter :: n = 16
  character(8) :: words(4), found(12)
  character(20) :: long
  integer :: places(60), exponents(n, 2), i, back
  logical :: orders(40)
  real(4) :: x4(n), y4(n), r4(n, 8)
  real(8) :: x8(n), y8(n), r8(n, 8)
  logical :: up(n)

  words = ['abc     ', 'abd     ', 'ab      ', '  x  y  ']
  long = 'hither and thither'
  found = ''; places = -1; orders = .false.; exponents = 0
  x8 = [0d0, 1d0, -1d0, 0.5d0, 3.75d0, -7.5d0, 1d300, -1d-300, 4.9d-324, 1d-310, 2.2250738585072014d-308, 123456789.25d0, &
    -6d0, 6d0, 1d-5, 1.7976931348623157d308]
  y8 = [3d0, 3d0, 3d0, -0.25d0, 2d0, 2d0, 7d0, 1d-301, 3d0, 1d-311, 1d-308, -1000d0, 3d0, -3d0, 3d-6, 3d0]
  x4 = [0., 1., -1., 0.5, 3.75, -7.5, 1e38, -1e-38, 1.4e-45, 1e-40, 1.17549435e-38, 12345.25, -6., 6., 1e-5, 3.4028234e38]
  y4 = [3., 3., 3., -0.25, 2., 2., 7., 1e-38, 3., 1e-41, 1e-38, -1000., 3., -3., 3e-6, 3.]
  up = [(mod(i, 3) == 1, i = 1, n)]
  r4 = 0; r8 = 0
  back = 1

  !$omp target map(tofrom: places, orders, found)
  orders(1:4) = [words(1) < words(2), words(1) <= words(3), words(3) // 'c' == words(1), words(4) > words(1)]
  orders(5:8) = [words(1)(1:2) == words(3), llt(words(3), words(1)), lge(words(2), words(1)), words(1) /= 'abc']
  orders(9:11) = [words(1)(3:2) == '   ', long(1:6) == long(12:17), long(8:10) < 'anx']
  places(1:4) = [index(long, 'hither'), index(long, 'hither', .true.), index(long, 'x'), index(long, '')]
  places(5:8) = [index(long, '', back == 1), index(words(3), 'b'), index('ab', 'abc'), index(long, ' ', back == 1)]
  places(9:12) = [scan(long, 'dn'), scan(long, 'dn', .true.), scan(long, 'xyz'), scan(long, '')]
  places(13:16) = [verify(long, 'hiter'), verify(long, 'hiter ', .true.), verify('aaa', 'a'), verify(words(4), ' ')]
  places(17:20) = [len_trim(long), len_trim(words(3)), len_trim(''), len_trim('   ')]
  places(21:23) = [len(trim(words(4))), len(trim(long) // '!'), len(repeat('ab', 3))]
  found(1) = trim(words(1)) // '+' // trim(words(3))
  found(2) = repeat('xy', 3)
  found(3) = adjustl(words(4))
  found(4) = adjustr(words(1))
  found(5) = words(4)
  found(6) = max(words(1), words(2))
  found(7) = long(12:)
  found(8) = char(ichar('a') + back) // achar(back + 65)
  select case (words(2))
  case ('abc')
    places(30) = 1
  case ('abd')
    places(30) = 2
  case default
    places(30) = 3
  end select
  !$omp end target

  !$omp target teams distribute parallel do map(tofrom: r4, r8, exponents)
  do i = 1, n
    exponents(i, :) = [exponent(x4(i)), exponent(x8(i))]
    r4(i, 1:3) = [fraction(x4(i)), scale(x4(i), i - 8), set_exponent(x4(i), i - 130)]
    r4(i, 4:6) = [spacing(x4(i)), rrspacing(x4(i)), nearest(x4(i), merge(1., -1., up(i)))]
    r4(i, 7:8) = [mod(x4(i), y4(i)), modulo(x4(i), y4(i))]
    r8(i, 1:3) = [fraction(x8(i)), scale(x8(i), 8 - 3 * i), set_exponent(x8(i), i - 1050)]
    r8(i, 4:6) = [spacing(x8(i)), rrspacing(x8(i)), nearest(x8(i), merge(1d0, -1d0, up(i)))]
    r8(i, 7:8) = [mod(x8(i), y8(i)), modulo(x8(i), y8(i))]
  end do

  ! The sign of a remainder of 0 is nobody's.
  where (r4 == 0) r4 = 0
  where (r8 == 0) r8 = 0
  print '(20i4)', places
  print '(20l2)', orders
  print '(4(a, "|"))', found
  print '(16i6)', exponents
  print '(4z20.8)', r4
  print '(4z20.16)', r8
end program
