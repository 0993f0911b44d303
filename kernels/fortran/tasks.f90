! Tasks, whose functions return nothing with flang-22.
program tasks
  implicit none
  integer, parameter :: n = 100
  integer :: failures = 0
  call in_a_region()
  call alone()
  call with_copies()
  call finish()

contains
  include 'check.inc'

  subroutine in_a_region()
    integer :: a(n), i
    a = 0
    !$omp target map(tofrom: a)
    !$omp parallel master num_threads(8)
    !$omp taskloop shared(a)
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end taskloop
    !$omp end parallel master
    !$omp end target
    call check('taskloop', sum(int(a, 8)), n * (n + 1_8) / 2)
  end subroutine

  subroutine alone()
    integer :: x
    x = 0
    !$omp target map(tofrom: x)
    !$omp task shared(x)
    x = x + 5
    !$omp end task
    !$omp taskwait
    !$omp end target
    call check('task', int(x, 8), 5_8)
  end subroutine

  ! The function that gives each task its copy counts on what is shared behind the task itself.
  subroutine with_copies()
    integer :: a(n), i, twice
    a = 0
    !$omp target parallel map(tofrom: a) private(twice) num_threads(40)
    !$omp single
    twice = 2
    !$omp taskloop shared(a) firstprivate(twice) num_tasks(7)
    do i = 1, n
      a(i) = twice * i
      twice = 2
    end do
    !$omp end taskloop
    !$omp task
    !$omp end task
    !$omp taskwait
    !$omp end single
    !$omp end target parallel
    call check('copies', sum(int(a, 8)), n * (n + 1_8))
  end subroutine
end program
