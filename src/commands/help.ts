/** The text of `--help`, for the program and for each command. */
export const HELP = {
  general: `Usage: plant-store [COMMAND] [OPTIONS]

A small store for plants, served over HTTP.

Commands:
  serve         serve the store over HTTP; the default command
  export        write every plant to standard output, one line of JSON each
  import FILE   create plants from lines of JSON
  backup FILE   copy the SQLite store into a file while the service runs
  token [NAME]  make an access token
  test [URL]    test a service against its contract

Options:
  -h, --help    show this help, or the help of a command
  -v, --version show the version

Settings come from the environment. DATABASE_URL names the store: sqlite:PATH or
postgres://…; the default is sqlite:data/plants.db.
Exit codes: 0 success, 1 failure, 2 wrong usage; \`plant-store test --help\` has more.

Examples:
  plant-store
  PORT=8080 DATABASE_URL=postgres://user@host/plants plant-store serve
  plant-store export > plants.ndjson
  plant-store import --help
`,
  serve: `Usage: plant-store serve [OPTIONS]

Serves the store over HTTP until SIGTERM or SIGINT. If no token is set, the
service makes one on its first start and keeps it in data/access-token.

Examples:
  plant-store serve
  plant-store serve --host 0.0.0.0 --port 8080
  plant-store serve --env-file /etc/plants/settings.env
  DATABASE_URL=sqlite:/var/lib/plants.db ACCESS_TOKENS=alice:s3cret plant-store serve
`,
  export: `Usage: plant-store export

Writes every plant in the store that DATABASE_URL names to standard output: one
line of JSON per plant, in order of id, with every digit of the id. The service
can go on writing. The export has every plant that was stored before it began;
plants that are created while it runs may be missing.

Examples:
  plant-store export > plants.ndjson
  plant-store export | gzip > plants.ndjson.gz

  # from SQLite to PostgreSQL
  plant-store export | DATABASE_URL=postgres://user@host/plants plant-store import -
`,
  import: `Usage: plant-store import [OPTIONS] FILE

Creates the plants in a file (- is standard input) in the store that DATABASE_URL
names. Each line is the body of a POST /plants, and the same rules apply:
{"id":41,"name":"Monstera deliciosa","tag":"tropical"}

A plant that is stored already changes nothing, so you can repeat an import that
was interrupted. The command reports the number of each line that is no valid
plant, or whose id belongs to another plant. It never overwrites a plant.

Options:
  --on-error stop  stop at the first such line; plants before it stay (default)
  --on-error skip  report the line and go on
  --wait SECONDS   how long to wait for a store that is unavailable (30)
  -h, --help       show this help

Exit codes: 0 if every line is in the store, else 1.

Examples:
  plant-store import plants.ndjson
  plant-store import --on-error skip plants.ndjson 2> refused.txt
  gunzip < plants.ndjson.gz | plant-store import -

  # check a file without storing anything
  DATABASE_URL=memory: plant-store import --on-error skip plants.ndjson
`,
  backup: `Usage: plant-store backup FILE

Copies the SQLite store that DATABASE_URL names into a file. The service can go on
writing. The copy has every plant that was acknowledged before the backup began,
and none that came later.

The file appears once the copy is complete and on disk, readable by its owner
only. The command does not overwrite a file.

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
client, and an entry for ACCESS_TOKENS, for the service. The entry has only the
SHA-256 of the token, so keep the token: it cannot be recovered.

Examples:
  plant-store token alice
  plant-store token
`,
} as const;
