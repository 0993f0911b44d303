! A procedure with a parallel region gets a variable of this file's serial code, one of a procedure in another file, which stays on a
! stack, and one of a thread in a region.
program regions
  implicit none
  interface
    subroutine middle(x)
      !$omp declare target
      integer, intent(inout) :: x
    end subroutine
    subroutine adds(y, n)
      !$omp declare target
      integer, intent(inout) :: y
      integer, intent(in) :: n
    end subroutine
  end interface
  integer :: through, direct, own, each(40), i
  through = 1
  direct = 0
  each = 0
  !$omp target map(tofrom: through, direct)
  call middle(through)
  own = 7
  direct = 3
  call adds(direct, 10)
  call adds(own, 20)
  direct = direct + own
  !$omp end target
  !$omp target teams distribute parallel do map(tofrom: each)
  do i = 1, 40
    call middle(each(i))
  end do
  print *, through, direct, sum(each), each(40)
end program

subroutine adds(y, n)
  !$omp declare target
  integer, intent(inout) :: y
  integer, intent(in) :: n
  integer :: i
  !$omp parallel do num_threads(20)
  do i = 1, n
    !$omp atomic
    y = y + i
  end do
end subroutine
