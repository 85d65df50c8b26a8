/** The text of `--help`, for the program and for each command. */
export const HELP = {
  general: `Usage: trellis COMMAND [OPTIONS]

Commands:
  new FOLDER --spec FILE   make a project out of an OpenAPI document
  generate                 bring types, client and stubs up to date with openapi.yaml
  dev                      run the service and follow every edit
  build                    make the programs in dist
  check                    check the types, and that generated files are up to date
  upgrade [--to VERSION]   move the project to another version of the packages

Options:
  -h, --help               show this page, or that of a command
  -v, --version            show the version

All but new work on the project in the current folder.
`,

  new: `Usage: trellis new FOLDER --spec FILE [--name NAME] [--store sqlite|postgres|none] [--registry]

Makes a new project in FOLDER, which must not exist yet or be empty, from the OpenAPI document FILE.

Options:
  --name NAME    the name of its package; the folder gives it otherwise
  --store KIND   where it keeps data: sqlite (the default), postgres or none
  --registry     depend on the published packages, instead of tarballs in FOLDER/vendor

Example: trellis new ../museum --spec museum.yaml
`,

  generate: `Usage: trellis generate [--check] [--strict]

Brings the project up to date with openapi.yaml: writes the types and the client in generated, src/handlers.ts, and a stub
for each operation that has no handler. Handlers that are there stay as they are.

Options:
  --check    write nothing; exit with 1 and name each file that is stale or missing
  --strict   take warnings for errors
`,

  dev: `Usage: trellis dev

Runs the service from its sources, and follows every edit: generates when the contract is saved, starts the service again,
and checks the types. Settings come from the environment, such as PORT and LOG_FORMAT.
`,

  build: `Usage: trellis build

Makes the programs in dist, unless they are up to date. Types that do not fit are an error.
`,

  check: `Usage: trellis check

Checks the types, and that the generated files are up to date. Writes nothing.
`,

  upgrade: `Usage: trellis upgrade [--to FOLDER_OR_VERSION]

Moves the project in the current folder to another version of Trellis: the packages, package-lock.json and the generated
files. Then it runs the tests of the project.

Options:
  --to VERSION   a published version; the newest one if not given
  --to FOLDER    a folder with a tarball of each package

Commit first. If npm or the tests fail, what was written stays, and git can undo it.
`,
};
