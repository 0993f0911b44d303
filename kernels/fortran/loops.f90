! DO loops in all the forms that flang-22 lowers for a device: combined constructs, collapse, steps, schedules, kinds.
program loops
  implicit none
  integer, parameter :: n = 1003
  integer :: failures = 0
  call combined()
  call steps()
  call collapsed()
  call schedules()
  call clauses()
  call in_regions()
  call in_order()
  call finish()

contains
  include 'check.inc'

  ! The sum of i * a(i), which shows an iteration that ran twice, in the wrong place, or not at all.
  integer(8) function weighed(a)
    integer, intent(in) :: a(:)
    integer :: i
    weighed = 0
    do i = 1, size(a)
      weighed = weighed + int(i, 8) * a(i)
    end do
  end function

  ! weighed() of an array whose element i is f * i.
  integer(8) function squares(f)
    integer, intent(in) :: f
    integer(8) :: m
    m = n
    squares = f * (m * (m + 1) * (2 * m + 1) / 6)
  end function

  subroutine combined()
    integer :: a(n), i, j
    a = 0
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('teams distribute parallel do', weighed(a), squares(1))
    !$omp target parallel do map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('parallel do', weighed(a), squares(2))
    !$omp target teams distribute map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('teams distribute', weighed(a), squares(3))
    !$omp target teams distribute parallel do simd map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('teams distribute parallel do simd', weighed(a), squares(4))
    !$omp target map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end target
    call check('serial loop in target', weighed(a), squares(5))
    !$omp target teams distribute map(tofrom: a) private(j)
    do i = 1, n, 100
      !$omp parallel do
      do j = i, min(i + 99, n)
        a(j) = a(j) + j
      end do
    end do
    call check('teams distribute, parallel do in it', weighed(a), squares(6))
    !$omp target teams loop map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('teams loop', weighed(a), squares(7))
  end subroutine

  subroutine steps()
    integer :: a(n), i, first, last, step
    integer(8) :: k
    integer(2) :: h
    a = 0
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = n, 1, -1
      a(i) = a(i) + i
    end do
    call check('downwards', weighed(a), squares(1))
    first = 1
    last = n
    step = 2
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = first, last, step
      a(i) = a(i) + i
    end do
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = last - 1, first, -step
      a(i) = a(i) + i
    end do
    call check('steps that the program computes', weighed(a), squares(2))
    !$omp target teams distribute parallel do map(tofrom: a)
    do k = 1_8, int(n, 8)
      a(k) = a(k) + int(k)
    end do
    call check('integer(8)', weighed(a), squares(3))
    !$omp target teams distribute parallel do map(tofrom: a)
    do h = 1_2, int(n, 2)
      a(h) = a(h) + h
    end do
    call check('integer(2)', weighed(a), squares(4))
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 5, 4
      a(i) = -1
    end do
    call check('no iteration', weighed(a), squares(4))
    !$omp target teams distribute parallel do map(tofrom: a)
    do i = 7, 7
      a(i) = a(i) + 1
    end do
    call check('one iteration', weighed(a), squares(4) + 7)
  end subroutine

  subroutine collapsed()
    integer :: a(7, 11, 13), i, j, k
    a = 0
    !$omp target teams distribute parallel do collapse(3) map(tofrom: a)
    do k = 1, 13
      do j = 1, 11
        do i = 1, 7
          a(i, j, k) = a(i, j, k) + i + 7 * (j - 1) + 77 * (k - 1)
        end do
      end do
    end do
    call check('collapse(3)', weighed(reshape(a, [1001])), squares(1) - 1002**2 - 1003**2)
    !$omp target teams distribute parallel do collapse(2) map(tofrom: a)
    do k = 13, 1, -1
      do j = 1, 11, 2
        do i = 1, 7
          a(i, j, k) = 0
        end do
      end do
    end do
    call check('collapse(2) with steps', int(count(a == 0), 8), 7_8 * 6 * 13)
  end subroutine

  subroutine schedules()
    integer :: a(n), i
    a = 0
    !$omp target teams distribute parallel do schedule(static) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp target teams distribute parallel do schedule(static, 3) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('static', weighed(a), squares(2))
    !$omp target teams distribute parallel do schedule(dynamic) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp target parallel do schedule(dynamic, 4) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('dynamic', weighed(a), squares(4))
    !$omp target parallel do schedule(guided) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp target parallel do schedule(runtime) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp target parallel do schedule(auto) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('guided, runtime, auto', weighed(a), squares(7))
  end subroutine

  subroutine clauses()
    integer :: a(n), i, j, add, p, q
    logical :: here
    a = 0
    add = 1
    p = 5
    here = .false.
    !$omp target teams distribute parallel do num_teams(3) thread_limit(64) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + add * i
    end do
    !$omp target teams distribute parallel do num_threads(17) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp target parallel do num_threads(1) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('num_teams, thread_limit, num_threads', weighed(a), squares(3))
    !$omp target teams distribute parallel do if(target: here) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp target parallel do if(parallel: here) map(tofrom: a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    call check('if', weighed(a), squares(5))
    !$omp target teams distribute parallel do private(p, j, q) map(tofrom: a)
    do i = 1, n
      p = 0
      do j = 1, 3
        q = i
        p = p + q
      end do
      a(i) = a(i) + p
    end do
    call check('private', weighed(a), squares(8))
    call check('private leaves the original', int(p, 8), 5_8)
  end subroutine

  ! Loops and other constructs inside of a region.
  subroutine in_regions()
    integer :: a(n), i, sum
    a = 0
    sum = 0
    !$omp target map(tofrom: a, sum)
    !$omp parallel
    !$omp do
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end do
    !$omp do
    do i = 1, n
      a(n + 1 - i) = a(n + 1 - i) + n + 1 - i
    end do
    !$omp end do nowait
    !$omp barrier
    !$omp single
    sum = sum + 1
    !$omp end single
    !$omp masked
    sum = sum + 10
    !$omp end masked
    !$omp barrier
    !$omp critical
    sum = sum + 0
    !$omp end critical
    !$omp end parallel
    !$omp end target
    call check('do, do nowait', weighed(a), squares(2))
    call check('single, masked, critical', int(sum, 8), 11_8)
    sum = 0
    !$omp target teams distribute parallel do map(tofrom: sum)
    do i = 1, n
      !$omp atomic update
      sum = sum + i
    end do
    call check('atomic update', int(sum, 8), int(n, 8) * (n + 1) / 2)
  end subroutine

  ! Each iteration leaves the number of its turn; those of odd number take none.
  subroutine in_order()
    integer :: a(n), turn(3), i
    integer(8) :: k
    a = 0
    turn = 0
    !$omp target map(tofrom: a, turn)
    !$omp parallel num_threads(72)
    !$omp do ordered
    do i = 1, n
      !$omp ordered
      turn(1) = turn(1) + 1
      a(i) = a(i) + turn(1)
      !$omp end ordered
    end do
    !$omp do ordered schedule(static, 5)
    do k = n, 1, -2
      if (mod(k, 4_8) == 1) then
        !$omp ordered
        turn(2) = turn(2) + 1
        a(k) = a(k) + turn(2) - 1 - (n - 1 - int(k) + 1) / 4
        !$omp end ordered
      end if
    end do
    !$omp do ordered
    do i = 1, turn(3)
      !$omp ordered
      a(i) = 0
      !$omp end ordered
    end do
    !$omp end parallel
    !$omp end target
    call check('ordered', weighed(a), squares(1))
    call check('the turns', turn(1) + 10000_8 * turn(2), n + 10000_8 * ((n + 3) / 4))
  end subroutine
end program
