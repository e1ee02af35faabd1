EmulatorProgram.main()
