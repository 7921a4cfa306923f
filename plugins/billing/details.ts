// The routes of the billing surface as the API reference tells of them.

const tags = ['Account']

export const DETAILS = {
  getAccount: {
    tags,
    operationId: 'getAccount',
    summary: 'Read the account',
    description: 'Its money, its limits with what counts against them now, and the key that asks.',
  },
  listUsage: {
    tags,
    operationId: 'listUsage',
    summary: 'List calls, or their daily sums',
    description:
      'The calls of all keys of the account, newest first; with `sums=day` their sums by day, model and key. A key with limits of its own sees its own calls only, unless the account allows more. A page has at most 500 calls, or 250 sums.',
  },
  listEntries: {
    tags,
    operationId: 'listEntries',
    summary: 'List movements of the balance',
    description:
      'Signed, newest first: their sum is the balance. Not for a key with limits of its own, unless the account allows it.',
  },
  watchCalls: {
    tags,
    operationId: 'watchCalls',
    summary: 'Watch calls as they happen',
    description:
      'Server-sent events for as long as the connection stays. A key with limits of its own sees its own calls only, unless the account allows more. A key may have four open. Nothing is sent again.',
  },
}
