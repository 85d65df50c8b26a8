/** What `--help` says, in general and of each command. */
export const HELP = {
  general: `Usage: plant-store [COMMAND] [OPTIONS]

A small store for plants, served over HTTP.

Commands:
  serve         serve the store over HTTP; what happens without a command
  export        write every plant to standard output, one line of JSON each
  import FILE   create the plants of such lines
  backup FILE   copy the SQLite store into a file, while it is served
  token [NAME]  make an access token

Options:
  -h, --help    this page, or that of a command
  -v, --version which release this is

Settings come from the environment: DATABASE_URL says where the store is
(sqlite:PATH or postgres://…; sqlite:data/plants.db unless it is set).
The exit code is 0 if all went well, 1 if it did not, 2 if it was asked for wrongly.

Examples:
  plant-store
  PORT=8080 DATABASE_URL=postgres://user@host/plants plant-store serve
  plant-store export > plants.ndjson
  plant-store import --help
`,
  serve: `Usage: plant-store serve

Serves the store over HTTP until SIGTERM or SIGINT.

Settings come from the environment, among them PORT (3000), HOST (127.0.0.1),
DATABASE_URL (sqlite:data/plants.db) and ACCESS_TOKENS. Without any token one is
made on first start and kept in data/access-token.

Examples:
  plant-store serve
  HOST=0.0.0.0 PORT=8080 plant-store serve
  DATABASE_URL=sqlite:/var/lib/plants.db ACCESS_TOKENS=alice:s3cret plant-store serve
`,
  export: `Usage: plant-store export

Writes every plant of the store that DATABASE_URL names to standard output, one
line of JSON each, in order of id, ids to the last digit. It holds up nobody who
writes meanwhile: what was there when it began is written, what comes while it
runs may be.

Examples:
  plant-store export > plants.ndjson
  plant-store export | gzip > plants.ndjson.gz

  # from SQLite to PostgreSQL
  plant-store export | DATABASE_URL=postgres://user@host/plants plant-store import -
`,
  import: `Usage: plant-store import [OPTIONS] FILE

Creates the plants of a file (or of standard input: -) in the store that
DATABASE_URL names. Each line is what POST /plants takes, and held to the same
rules: {"id":41,"name":"Monstera deliciosa","tag":"tropical"}

The same plant again changes nothing, so after a break of whatever kind the same
is run again, from the start. A line that is no plant, or whose id another plant
holds, is told with its number; no plant is ever overwritten.

Options:
  --on-error stop  end at such a line; what was created stays (this is the default)
  --on-error skip  go on with the next
  --wait SECONDS   how long to wait for a store that is away (30)
  -h, --help       this page

The exit code is 0 if every line is in the store, and 1 if not.

Examples:
  plant-store import plants.ndjson
  plant-store import --on-error skip plants.ndjson 2> refused.txt
  gunzip < plants.ndjson.gz | plant-store import -

  # only look what is wrong with a file
  DATABASE_URL=memory: plant-store import --on-error skip plants.ndjson
`,
  backup: `Usage: plant-store backup FILE

Copies the SQLite store that DATABASE_URL names into a file, while it is served:
nobody who writes waits for it. Everything that was acknowledged before it began
is in the copy; what comes while it runs is not.

The copy gets its name once it is whole and on disk, and its owner alone may read
it. A file that is there already is not overwritten.

To restore: stop the service; move plants.db, plants.db-wal and plants.db-shm
away; copy the backup to plants.db; start the service.

PostgreSQL has tools of its own, such as pg_dump.

Examples:
  plant-store backup plants-backup.db
  DATABASE_URL=sqlite:/var/lib/plants.db plant-store backup "/backup/$(date +%F).db"

  # how many plants a backup holds
  DATABASE_URL=sqlite:plants-backup.db plant-store export | wc -l
`,
  token: `Usage: plant-store token [NAME]

Makes an access token of 256 random bits and prints two lines: the token, for the
client, and its entry for ACCESS_TOKENS, for the service. The entry holds the
token's SHA-256 alone, so the token is nowhere else: keep it.

Examples:
  plant-store token alice
  plant-store token
`,
} as const;
