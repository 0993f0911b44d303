! Target regions that end the program: with a number, with one as an error, with a text, and by what is not of the standard.
program stops
  implicit none
  character(8) :: argument
  integer :: way
  call get_command_argument(1, argument)
  read (argument, *) way
  !$omp target map(tofrom: way)
  if (way == 1) stop -12
  if (way == 2) error stop 2147483647
  if (way == 3) error stop 'no data for step 3'
  if (way == 4) call exit(7)
  if (way == 5) call abort
  way = way + 100
  !$omp end target
  if (way == 100) print *, 'all is well'
end program
