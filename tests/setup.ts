// A test that asserts nothing proves nothing.
beforeEach(() => expect.hasAssertions());
