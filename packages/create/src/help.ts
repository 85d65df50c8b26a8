/** The text of `--help`, for the program and for each command. */
export const HELP = {
  general: `Usage: trellis COMMAND [OPTIONS]

Commands:
  new FOLDER --spec FILE   create a project from an OpenAPI document
  generate                 update types, client and stubs to openapi.yaml
  dev                      run the service, and restart it after every edit
  build                    build the programs in dist
  check                    check the types, and that generated files are up to date
  upgrade [--to VERSION]   install another version of the packages

Options:
  -h, --help               show this page, or the page of a command
  -v, --version            show the version

All but new work on the project in the current folder.
`,

  new: `Usage: trellis new FOLDER --spec FILE [--name NAME] [--store sqlite|postgres|none] [--registry]

Creates a project in FOLDER, which must be new or empty, from the OpenAPI document FILE.

Options:
  --name NAME    the name of its package; the name of the folder by default
  --store KIND   its database: sqlite (the default), postgres or none
  --registry     depend on the published packages instead of tarballs in FOLDER/vendor

Example: trellis new ../museum --spec museum.yaml
`,

  generate: `Usage: trellis generate [--check] [--strict]

Updates the project to openapi.yaml: writes the types and the client in generated, src/handlers.ts, and a stub
for each operation without a handler. Existing handlers are never changed.

Options:
  --check    write nothing; exit with 1 and name each file that is stale or missing
  --strict   treat warnings as errors
`,

  dev: `Usage: trellis dev

Runs the service from its sources. After every edit it generates, if the contract has changed, restarts the service,
and checks the types. Settings such as PORT and LOG_FORMAT are read from the environment.
`,

  build: `Usage: trellis build

Builds the programs in dist, unless they are up to date. Type errors are errors.
`,

  check: `Usage: trellis check

Checks the types, and that the generated files are up to date. Writes nothing.
`,

  upgrade: `Usage: trellis upgrade [--to FOLDER_OR_VERSION]

Changes the project in the current folder to another version of Trellis: the packages, package-lock.json and the generated
files. Then it runs the tests of the project.

Options:
  --to VERSION   a published version; the newest by default
  --to FOLDER    a folder with a tarball of each package

Commit first. If npm or the tests fail, the changes stay, and git can revert them.
`,
};
