! Functions of arrays in target regions, of all kinds of numbers: reductions of whole arrays, with masks and along dimensions,
! where elements stand, products. flang calls its runtime for them, without optimisation always.
program array_functions
  implicit none
  integer, parameter :: n = 7, rows = 3, columns = 4
  integer(1) :: a1(n), m1(rows, columns)
  integer(2) :: a2(n), m2(rows, columns)
  integer(4) :: a4(n), m4(rows, columns), b4(columns, 2)
  integer(8) :: a8(n), m8(rows, columns), b8(columns, 2), numbers(200), places(200)
  real(4) :: x4(n), y4(rows, columns), z4(columns, 2)
  real(8) :: x8(n), y8(rows, columns), z8(columns, 2), reals(200)
  logical :: mask(n), masks(rows, columns), some(columns, 2), answers(100), none
  integer :: i, j, zero

  zero = 0
  none = .false.
  a4 = [3, -8, 5, 7, 5, -8, 2]
  m4 = reshape([(mod(7 * i, 11) - 5, i = 1, rows * columns)], [rows, columns])
  b4 = reshape([(i - 4, i = 1, columns * 2)], [columns, 2])
  a1 = int(a4, 1); a2 = int(a4, 2); a8 = a4; x4 = real(a4) / 2; x8 = a4 / 4d0
  m1 = int(m4, 1); m2 = int(m4, 2); m8 = m4; y4 = real(m4) / 4; y8 = m4 / 8d0
  b8 = b4; z4 = real(b4); z8 = b4 / 2d0
  mask = a4 > 2
  masks = m4 > -2
  some = b4 > 2
  numbers = 0; places = 0; reals = 0; answers = .false.

  !$omp target map(tofrom: numbers, places, reals, answers)
  ! Whole arrays, parts of them, with a mask, with one for all, and of nothing.
  numbers(1:4) = [int(sum(a1), 8), int(sum(a2), 8), int(sum(a4), 8), sum(a8)]
  numbers(5:8) = [int(product(a1(1:3)), 8), int(product(a2(1:3)), 8), int(product(a4), 8), product(a8)]
  numbers(9:12) = [int(maxval(a1), 8), int(maxval(a2), 8), int(maxval(a4), 8), maxval(a8)]
  numbers(13:16) = [int(minval(a1), 8), int(minval(a2), 8), int(minval(a4), 8), minval(a8)]
  numbers(17:20) = [int(iall(a1), 8), int(iall(a2(3:5:2)), 8), int(iall(a4(3:5)), 8), iall(a8(3:5))]
  numbers(21:24) = [int(iany(a1), 8), int(iany(a2(3:5:2)), 8), int(iany(a4(1:5:2)), 8), iany(a8(3:5))]
  numbers(25:28) = [int(iparity(a1), 8), int(iparity(a2(7:1:-2)), 8), int(iparity(a4), 8), iparity(a8)]
  numbers(29:32) = [sum(a4, mask), product(a4, mask), maxval(a4, a4 < 5), minval(a4, mask)]
  numbers(33:36) = [sum(a4, none), product(a4(1:zero)), maxval(a4(1:zero)), minval(a4(1:zero))]
  numbers(37:40) = [sum(m4), sum(m4, masks), maxval(m4(2, :)), minval(m4(:, 2:4:2))]
  numbers(41:44) = [count(mask), count(masks), count(masks(:, 2)), dot_product(a4, a4)]
  numbers(45:47) = [int(dot_product(a1(1:3), a1(5:7)), 8), int(dot_product(a2, a2), 8), dot_product(a8, a8(7:1:-1))]
  numbers(48:50) = [int(maxval(a1(1:zero)), 8), int(minval(a2(1:zero)), 8), maxval(a8(1:zero))]
  reals(1:4) = [real(sum(x4), 8), sum(x8), real(product(x4), 8), product(x8)]
  reals(5:8) = [real(maxval(x4), 8), maxval(x8), real(minval(x4), 8), minval(x8)]
  reals(9:12) = [real(norm2(x4), 8), norm2(x8), norm2(y8), norm2(x8(1:zero))]
  reals(13:16) = [norm2(x8 * 1d200) / 1d200, real(dot_product(x4, x4), 8), dot_product(x8, a4), sum(x8, mask)]
  reals(17:18) = [maxval(x8, none), real(minval(x4(1:zero)), 8)]
  answers(1:6) = [all(mask), any(mask), all(a4 < 9), any(a4 > 9), parity(mask), all(masks(:, 1:zero))]
  answers(7:9) = [any(mask(1:zero)), dot_product(mask, .not. mask), dot_product(mask, mask)]

  ! Along dimensions.
  numbers(51:54) = sum(m4, 1)
  numbers(55:57) = sum(m8, 2)
  numbers(58:61) = product(m4, 1, masks)
  numbers(62:64) = maxval(m1, 2)
  numbers(65:68) = minval(m2, 1)
  numbers(69:71) = iall(m4, 2)
  numbers(72:75) = iany(m8, 1)
  numbers(76:78) = iparity(m1, 2)
  numbers(79:82) = count(masks, 1)
  numbers(83:85) = count(masks, 2, kind=8)
  reals(21:24) = sum(y8, 1)
  reals(25:27) = sum(y4, 2, masks)
  reals(28:31) = maxval(y8, 1)
  reals(32:34) = minval(y4, 2)
  reals(35:38) = norm2(y8, 1)
  answers(11:14) = all(masks, 1)
  answers(15:17) = any(.not. masks, 2)
  answers(18:21) = parity(masks, 1)

  ! Places.
  places(1:4) = [maxloc(a1, 1), maxloc(a2, 1), maxloc(a4, 1), maxloc(a8, 1)]
  places(5:8) = [minloc(a1, 1), minloc(a2, 1, back=.true.), minloc(a4, 1), minloc(a8, 1, back=.true.)]
  places(9:12) = [maxloc(x4, 1), maxloc(x8, 1, mask=x8 < 1), minloc(x4, 1), minloc(x8, 1, back=.true.)]
  places(13:14) = maxloc(m4)
  places(15:16) = minloc(m8, masks)
  places(17:18) = maxloc(y4)
  places(19:20) = minloc(y8, back=.true.)
  places(21:22) = maxloc(m1)
  places(23:24) = minloc(m2)
  places(25:28) = maxloc(m4, 1)
  places(29:31) = minloc(y8, 2, masks)
  places(32:33) = maxloc(m4, m4 > 100)
  places(34:37) = [findloc(a4, 5, 1), findloc(a4, 5, 1, back=.true.), findloc(a4, 9, 1), findloc(x8, 1.25d0, 1)]
  places(38:39) = findloc(m4, -2)
  places(40:43) = findloc(m4, 3, 1)
  places(44:45) = [findloc(mask, .false., 1), findloc(mask, .true., 1, mask=a4 > 5)]

  ! Products.
  numbers(90:95) = reshape(matmul(m4, b4), [6])
  numbers(96:101) = reshape(matmul(m8, b8), [6])
  numbers(102:104) = matmul(m4, b8(:, 2))
  numbers(105:106) = matmul(a4(1:4), b4)
  reals(40:45) = reshape(matmul(y4, z4), [6])
  reals(46:51) = reshape(matmul(y8, z8), [6])
  reals(52:54) = matmul(y8, b4(:, 1))
  reals(55:56) = matmul(x4(4:1:-1), z8)
  reals(57:60) = reshape(matmul(y4(1:2, :), b8), [4])
  answers(30:35) = reshape(matmul(masks, some), [6])
  answers(36:38) = matmul(masks, some(:, 1))
  !$omp end target

  do i = 1, 110, 10
    print '(10i12)', (mod(numbers(j), 10000000000_8), j = i, i + 9)
  end do
  do i = 1, 60, 6
    print '(6g14.6)', (reals(j), j = i, i + 5)
  end do
  print '(15i4)', places(1:45)
  print '(40l2)', answers(1:40)
end program
