! Reductions in Fortran: operators and kinds, in regions and over teams, several at once, arrays.
program reductions
  implicit none
  integer, parameter :: n = 2000
  integer :: failures = 0
  integer :: a(n), i
  do i = 1, n
    a(i) = mod(i * 37, 1000) - 300
  end do
  call integers()
  call reals()
  call logicals()
  call several()
  call finish()

contains
  include 'check.inc'

  subroutine integers()
    integer :: sum4, low, high, bits, ones, other, product4
    integer(8) :: sum8
    integer(2) :: sum2
    sum4 = 5
    sum8 = -1
    sum2 = 7_2
    !$omp target teams distribute parallel do reduction(+: sum4) map(to: a) map(tofrom: sum4)
    do i = 1, n
      sum4 = sum4 + a(i)
    end do
    call check('+ integer(4)', int(sum4, 8), sum(int(a, 8)) + 5)
    !$omp target parallel do reduction(+: sum8) map(to: a) map(tofrom: sum8)
    do i = 1, n
      sum8 = sum8 + 1000000000_8 * a(i)
    end do
    call check('+ integer(8), parallel do', sum8, 1000000000_8 * sum(int(a, 8)) - 1)
    !$omp target teams distribute reduction(+: sum2) map(tofrom: sum2)
    do i = 1, n
      sum2 = sum2 + 1_2
    end do
    call check('+ integer(2), teams distribute', int(sum2, 8), n + 7_8)
    low = 10000
    high = -10000
    !$omp target teams distribute parallel do reduction(min: low) map(to: a) map(tofrom: low)
    do i = 1, n
      low = min(low, a(i))
    end do
    !$omp target teams distribute parallel do reduction(max: high) map(to: a) map(tofrom: high)
    do i = 1, n
      high = max(high, a(i))
    end do
    call check('min', int(low, 8), int(minval(a), 8))
    call check('max', int(high, 8), int(maxval(a), 8))
    bits = -1
    ones = 0
    other = 0
    !$omp target teams distribute parallel do reduction(iand: bits) map(to: a) map(tofrom: bits)
    do i = 1, n
      bits = iand(bits, ior(a(i), 4096 + 7))
    end do
    !$omp target teams distribute parallel do reduction(ior: ones) map(to: a) map(tofrom: ones)
    do i = 1, n
      ones = ior(ones, iand(a(i), 1365))
    end do
    !$omp target teams distribute parallel do reduction(ieor: other) map(to: a) map(tofrom: other)
    do i = 1, n
      other = ieor(other, a(i))
    end do
    call check('iand', int(bits, 8), int(iall(ior(a, 4096 + 7)), 8))
    call check('ior', int(ones, 8), int(iany(iand(a, 1365)), 8))
    call check('ieor', int(other, 8), int(iparity(a), 8))
    product4 = 3
    !$omp target teams distribute parallel do reduction(*: product4) map(tofrom: product4)
    do i = 1, 18
      product4 = product4 * 2
    end do
    call check('*', int(product4, 8), 3 * 2_8**18)
  end subroutine

  subroutine reals()
    real(4) :: sum4, high
    real(8) :: sum8, low
    sum4 = 0
    sum8 = 0
    !$omp target teams distribute parallel do reduction(+: sum4) map(tofrom: sum4)
    do i = 1, n
      sum4 = sum4 + real(i, 4)
    end do
    call check_real('+ real(4)', real(sum4, 8), real(n, 8) * (n + 1) / 2)
    !$omp target teams distribute parallel do reduction(+: sum8) map(to: a) map(tofrom: sum8)
    do i = 1, n
      sum8 = sum8 + 0.25d0 * a(i)
    end do
    call check_real('+ real(8)', sum8, 0.25d0 * sum(a))
    low = huge(low)
    high = -huge(high)
    !$omp target teams distribute parallel do reduction(min: low) map(to: a) map(tofrom: low)
    do i = 1, n
      low = min(low, 0.5d0 * a(i))
    end do
    !$omp target teams distribute parallel do reduction(max: high) map(to: a) map(tofrom: high)
    do i = 1, n
      high = max(high, 0.5 * a(i))
    end do
    call check_real('min real(8)', low, 0.5d0 * minval(a))
    call check_real('max real(4)', real(high, 8), 0.5d0 * maxval(a))
  end subroutine

  subroutine logicals()
    logical :: every, any_one, same
    every = .true.
    any_one = .false.
    !$omp target teams distribute parallel do reduction(.and.: every) map(to: a) map(tofrom: every)
    do i = 1, n
      every = every .and. a(i) > -301
    end do
    !$omp target teams distribute parallel do reduction(.or.: any_one) map(to: a) map(tofrom: any_one)
    do i = 1, n
      any_one = any_one .or. a(i) == a(77)
    end do
    call check_that('.and.', every)
    call check_that('.or.', any_one)
    same = .true.
    !$omp target teams distribute parallel do reduction(.eqv.: same) map(tofrom: same)
    do i = 1, 8
      same = same .eqv. mod(i, 2) == 0
    end do
    call check_that('.eqv.', same)
  end subroutine

  subroutine several()
    integer :: count, high, j, k
    real(8) :: total
    count = 0
    high = 0
    total = 0
    !$omp target teams distribute parallel do reduction(+: count, total) reduction(max: high) map(to: a) &
    !$omp map(tofrom: count, total, high)
    do i = 1, n
      count = count + 1
      total = total + a(i)
      high = max(high, a(i))
    end do
    call check('three at once, count', int(count, 8), int(n, 8))
    call check_real('three at once, sum', total, real(sum(a), 8))
    call check('three at once, max', int(high, 8), int(maxval(a), 8))
    count = 0
    !$omp target teams distribute parallel do collapse(2) reduction(+: count) map(tofrom: count)
    do j = 1, 30
      do k = 1, 40
        count = count + j * k
      end do
    end do
    call check('collapse(2)', int(count, 8), 30_8 * 31 / 2 * 40 * 41 / 2)
    count = 0
    !$omp target map(to: a) map(tofrom: count)
    !$omp teams reduction(+: count)
    !$omp distribute parallel do reduction(+: count)
    do i = 1, n
      count = count + a(i)
    end do
    !$omp end teams
    !$omp end target
    call check('teams, distribute parallel do', int(count, 8), sum(int(a, 8)))
  end subroutine
end program
