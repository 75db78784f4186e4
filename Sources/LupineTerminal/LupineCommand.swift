#if Terminal
  import ArgumentParser
  import LupineCore

  /// The command `lupine` with its subcommands.
  struct LupineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "lupine", abstract: "Makes HTTP requests, downloads files, and looks at servers and recordings.",
      usage: """
        lupine [METHOD] URL [ITEM ...] [OPTIONS]
        lupine SUBCOMMAND ...
        """,
      discussion: """
        A URL without a subcommand makes a request; `lupine request --help` lists its items and options.

        EXIT CODES:
        \(ExitStatus.table)

        A signal ends the program with 128 and its number.
        """, version: "0.1.0",
      subcommands: [
        RequestCommand.self, DownloadCommand.self, CassettesCommand.self, PinsCommand.self, QueueCommand.self,
      ],
      defaultSubcommand: RequestCommand.self)

    /// Runs the command of the arguments, and ends the process with the code of `ExitStatus`.
    static func runArguments() async {
      do {
        var command = try parse()
        if var asynchronous = command as? any AsyncParsableCommand {
          try await asynchronous.run()
        } else {
          try command.run()
        }
        StandardOutput.end(.success)
      } catch {
        end(with: error)
      }
    }

    /// Parses the arguments.
    ///
    /// A request is parsed without the other commands, which saves a quarter of the processor time of a short run.
    private static func parse() throws -> any ParsableCommand {
      let first = CommandLine.arguments.dropFirst().first ?? ""
      let isRequest = !first.isEmpty && !first.hasPrefix("-") && !ownWords.contains(first)
      return isRequest ? try RequestCommand.parseAsRoot() : try parseAsRoot()
    }

    /// The first words that are no request.
    private static let ownWords: Set<String> = ["cassettes", "download", "help", "pins", "queue", "request"]

    private static func end(with error: any Error) -> Never {
      switch error {
      case let failure as CommandFailure:
        Message.fail(failure.description)
        StandardOutput.end(failure.status)
      case let failure as LupineError:
        Message.fail(failure.programMessage())
        StandardOutput.end(ExitStatus(failure))
      case let status as ExitStatus: StandardOutput.end(status)
      case is CleanExit, is ExitCode: exit(withError: error)
      default: endAfterParsing(error)
      }
    }

    /// Shows the help, or what is wrong with the arguments.
    private static func endAfterParsing(_ error: any Error) -> Never {
      let code = exitCode(for: error)
      guard code != .success else { exit(withError: error) }
      guard code == .validationFailure else {
        Message.fail(message(for: error))
        StandardOutput.end(.failure)
      }
      // A request is parsed as if it were a program of its own.
      Message.write(fullMessage(for: error).replacing("'request --help'", with: "'lupine request --help'"))
      StandardOutput.end(.usage)
    }
  }
#endif
