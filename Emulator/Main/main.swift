internal import EmulatorCLI

EmulatorProgram.main()
