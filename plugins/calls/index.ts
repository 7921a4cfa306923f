// Calls for other plugins: pages of the list, its columns, and the search by request id.
export { call_columns, callCsv } from './columns.ts'
export { listCalls, type RecordedCall } from './listing.ts'
export { callsBeginningWith } from './one-call.ts'
export { type FilterOptions, filterOfOptions } from './option-filter.ts'
