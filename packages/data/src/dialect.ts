import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqlEngine, SqlTransaction } from './engines/engine.ts';
import type { DatabaseKind } from './engines/schema.ts';

/** How Kysely writes the SQL of each kind of database. */
const SYNTAX = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  },
} as const;

/** Whether a query certainly only reads. Raw SQL may do anything; so may the parts of a WITH on PostgreSQL. */
export const onlyReads = (query: RootOperationNode): boolean =>
  query.kind === 'SelectQueryNode' &&
  !query.endModifiers?.length && // such as FOR UPDATE
  (query.with?.expressions ?? []).every(({ expression }) => expression.kind === 'SelectQueryNode');

const refuseStream = (): never => {
  throw new Error('queries cannot be streamed; read page by page, each from the last key on');
};

/** Runs the queries of a Kysely on an engine. */
export const createDialect = (engine: SqlEngine, kind: DatabaseKind, transactionTimeout: number): Dialect => {
  const transactions = new WeakMap<DatabaseConnection, SqlTransaction>();

  const connect = (): DatabaseConnection => {
    const connection: DatabaseConnection = {
      async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
        const statement = { sql, values: parameters };
        const transaction = transactions.get(connection);
        if (transaction) return transaction.run<Row>(statement);
        return onlyReads(query) ? engine.read<Row>(statement) : engine.run<Row>(statement);
      },
      streamQuery: refuseStream,
    };
    return connection;
  };

  const driver: Driver = {
    async init() {},
    acquireConnection: async () => connect(),
    async beginTransaction(connection, { isolationLevel = 'serializable' }) {
      if (isolationLevel !== 'serializable')
        throw new Error('transactions are serializable on every database; leave out setIsolationLevel');
      transactions.set(connection, await engine.begin({ timeout: transactionTimeout }));
    },
    commitTransaction: async (connection) => transactions.get(connection)?.commit(),
    rollbackTransaction: async (connection) => transactions.get(connection)?.rollback(),
    releaseConnection: async (connection) => void transactions.delete(connection),
    destroy: () => engine.close(),
  };
  return { ...SYNTAX[kind], createDriver: () => driver };
};
