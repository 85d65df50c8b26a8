const ROUTES = [
  ['GET', '/status', 'getStatus'],
  ['POST', '/books', 'createBook'],
  ['GET', '/books', 'listBooks'],
  ['GET', '/books/{bookId}', 'getBook'],
  ['PATCH', '/books/{bookId}', 'updateBook'],
  ['DELETE', '/books/{bookId}', 'deleteBook'],
  ['POST', '/books/{bookId}/reviews', 'addReview'],
  ['GET', '/books/{bookId}/reviews', 'listReviews'],
  ['POST', '/loans', 'openLoan'],
  ['GET', '/loans/{loanId}', 'getLoan'],
  ['DELETE', '/loans/{loanId}', 'closeLoan'],
  ['PUT', '/shelves/{code}', 'putShelf'],
  ['GET', '/shelves/{code}', 'getShelf'],
  ['GET', '/search/{genres}/{years}/{span}', 'searchBooks'],
  ['POST', '/feedback', 'sendFeedback'],
  ['GET', '/catalogue', 'exportCatalogue'],
] as const;

/** The name of an operation. */
export type OperationId = (typeof ROUTES)[number][2];

const ROUTED = ROUTES.map(([method, path, operation]) => ({
  method,
  operation,
  pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}));

/** The operation of a path and a method, the raw parameters of the path, and the methods that the path has. */
export const route = (method: string, path: string) => {
  const here = ROUTED.filter(({ pattern }) => pattern.test(path));
  const found = here.find((each) => each.method === method);
  return {
    operation: found?.operation,
    segments: { ...found?.pattern.exec(path)?.groups },
    methods: here.map((each) => each.method),
  };
};

const BOOKS = ['createBook', 'listBooks', 'getBook', 'updateBook', 'deleteBook'] as const;
const REVIEWS = ['addReview', 'listReviews', 'createBook'] as const;
const LOANS = ['openLoan', 'getLoan', 'closeLoan'] as const;
const SHELVES = ['putShelf', 'getShelf'] as const;
const FAMILIES: ReadonlyArray<readonly OperationId[]> = [BOOKS, REVIEWS, LOANS, SHELVES];

/** Operations with all those that share their state. */
export const withKin = (operations: readonly OperationId[]): readonly OperationId[] => [
  ...new Set([
    ...operations,
    ...FAMILIES.flatMap((family) => (family.some((each) => operations.includes(each)) ? family : [])),
  ]),
];
