internal import EmulatorApp

EmulatorProgram.main()
