! Target regions that end the program: with a number, with one as an error, with a text.
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
  way = way + 100
  !$omp end target
  if (way == 100) print *, 'all is well'
end program
