import LupineSession

#if Observability
  import HTTPTypes
  import LupineCore
  import LupineMock

  /// Sessions on the mock whose secrets all contain the word `hidden`.
  struct MockSession {
    static let url = "https://u.example.com/x?token=hidden1#hidden2"
    let mock = MockTransport()

    init(stubs: (MockTransport) -> Void) { stubs(mock) }

    init(_ reply: MockReply) { mock.stub([.get, .post], "/{any...}", reply.field(.setCookie, "a=hidden3")) }

    func session(_ change: (Session.Builder) -> Session.Builder) throws -> Session {
      let builder = Session.Builder().transport(mock).clock(ImmediateClock()).baseURL("https://u.example.com")
        .header(.authorization, "hidden4").adapter(BearerToken("hidden5"))
      return try change(builder).build()
    }
  }
#endif
