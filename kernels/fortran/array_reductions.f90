! Reductions of arrays in Fortran: kinds, ranks, bounds and operators, within a warp, a team with a part of a warp, and a league of
! more teams than the memory between teams had room for. flang 22 writes functions for them that leave bounds unset (docs/upstream.md).
program array_reductions
  implicit none
  integer, parameter :: n = 630
  integer :: failures = 0
  integer :: a(n), i
  do i = 1, n
    a(i) = mod(i * 37, 1000) - 300
  end do
  call threads(1)
  call threads(20)
  call threads(32)
  call threads(50)
  call threads(128)
  call league(1, 64)
  call league(7, 96)
  call league(400, 32)
  call operators()
  call in_region()
  call finish()

contains
  include 'check.inc'
  include 'at_most.inc'

  ! Sums of `a` by the remainder of the index: everything that is reduced here is made of them.
  integer(8) function part(parts, number)
    integer, intent(in) :: parts, number
    integer :: k
    part = 0
    do k = 1, n
      if (mod(k, parts) == number - 1) part = part + a(k)
    end do
  end function

  subroutine threads(count)
    integer, intent(in) :: count
    integer(1) :: bytes(7)
    integer(2) :: shorts(-1:1)
    integer :: grid(2, 3)
    real(8) :: reals(5)
    complex(4) :: complexes(2)
    integer :: k, wrong
    bytes = 1_1
    shorts = 2_2
    grid = 3
    reals = 4
    complexes = (5, 6)
    !$omp target parallel do num_threads(count) reduction(+: bytes, shorts, grid, reals, complexes) map(to: a) &
    !$omp   map(tofrom: bytes, shorts, grid, reals, complexes)
    do k = 1, n
      if (mod(k, 30) == 0) bytes(mod(k / 30, 7) + 1) = bytes(mod(k / 30, 7) + 1) + 1_1
      shorts(mod(k, 3) - 1) = shorts(mod(k, 3) - 1) + int(mod(a(k), 5), 2)
      grid(mod(k, 2) + 1, mod(k / 2, 3) + 1) = grid(mod(k, 2) + 1, mod(k / 2, 3) + 1) + a(k)
      reals(mod(k, 5) + 1) = reals(mod(k, 5) + 1) + a(k)
      complexes(mod(k, 2) + 1) = complexes(mod(k, 2) + 1) + cmplx(a(k), -a(k))
    end do
    wrong = 0
    do k = 1, 5
      if (reals(k) /= 4 + part(5, k)) wrong = wrong + 1
    end do
    do k = 1, 2
      if (complexes(k) /= cmplx(5 + part(2, k), 6 - part(2, k))) wrong = wrong + 1
    end do
    call check('wrong reals and complexes', int(wrong, 8), 0_8)
    call check('bytes', sum(int(bytes, 8)), 28_8)
    call check('the last byte', int(bytes(7), 8), 4_8)
    call check('shorts', sum(int(shorts, 8)), 6 + sum(int(mod(a, 5), 8)))
    call check('grid', sum(int(grid, 8)), 18 + sum(int(a, 8)))
    call check('an element of grid', int(grid(2, 2), 8), 3 + sum(int(a(3:n:6), 8)))
  end subroutine

  subroutine league(teams, limit)
    integer, intent(in) :: teams, limit
    integer(1) :: bytes(3)
    integer(8) :: longs(9)
    real(4) :: single
    integer :: k, wrong, most
    most = at_most(teams)
    bytes = 0_1
    longs = 1
    single = 2
    !$omp target teams distribute parallel do num_teams(most) thread_limit(limit) reduction(+: bytes, longs, single) &
    !$omp   map(to: a) map(tofrom: bytes, longs, single)
    do k = 1, n
      if (mod(k, 30) == 0) bytes(mod(k, 3) + 1) = bytes(mod(k, 3) + 1) + 1_1
      longs(mod(k, 9) + 1) = longs(mod(k, 9) + 1) + a(k)
      single = single + 1
    end do
    wrong = 0
    do k = 1, 9
      if (longs(k) /= 1 + part(9, k)) wrong = wrong + 1
    end do
    call check('wrong sums of a league', int(wrong, 8), 0_8)
    call check('bytes of a league', int(bytes(1), 8), 21_8)
    call check('a variable beside arrays', int(single, 8), n + 2_8)
  end subroutine

  subroutine operators()
    integer :: low(2), high(2), bits(3), k, most
    logical :: any_odd(3), all_small(3)
    most = at_most(3)
    low = 10000
    high = -10000
    bits = 0
    any_odd = .false.
    all_small = .true.
    !$omp target teams distribute parallel do num_teams(most) reduction(min: low) reduction(max: high) &
    !$omp   reduction(ior: bits) reduction(.or.: any_odd) reduction(.and.: all_small) map(to: a) &
    !$omp   map(tofrom: low, high, bits, any_odd, all_small)
    do k = 1, n
      low(mod(k, 2) + 1) = min(low(mod(k, 2) + 1), a(k))
      high(mod(k, 2) + 1) = max(high(mod(k, 2) + 1), a(k))
      bits(mod(k, 3) + 1) = ior(bits(mod(k, 3) + 1), k)
      any_odd(mod(k, 2) + 1) = any_odd(mod(k, 2) + 1) .or. mod(k, 2) == 1
      all_small(mod(k, 3) + 1) = all_small(mod(k, 3) + 1) .and. k < n
    end do
    call check('min', int(low(1), 8), int(minval(a(2:n:2)), 8))
    call check('max', int(high(2), 8), int(maxval(a(1:n:2)), 8))
    call check('ior', int(bits(2), 8), 1023_8)
    call check_that('.or.', any_odd(2) .and. .not. any_odd(1) .and. .not. any_odd(3))
    call check_that('.and.', all_small(2) .and. all_small(3) .and. .not. all_small(1))
  end subroutine

  ! Twice in one region, in which other code is.
  subroutine in_region()
    integer :: sums(4), products(2), k
    sums = 0
    products = 1
    !$omp target parallel num_threads(80) map(tofrom: sums, products)
    !$omp do reduction(+: sums)
    do k = 1, n
      sums(mod(k, 4) + 1) = sums(mod(k, 4) + 1) + 1
    end do
    !$omp do reduction(*: products)
    do k = 1, 10
      products(mod(k, 2) + 1) = products(mod(k, 2) + 1) * 3
    end do
    !$omp end target parallel
    call check('sums in a region', int(sum(sums), 8), int(n, 8))
    call check('products in a region', int(products(1), 8), 243_8)
  end subroutine
end program
