// Calls for other plugins: pages of them, their columns and filters, and the search by their request id.
export { call_columns, callCsv } from './columns.ts'
export { CALL_FILTERS, requestedCalls } from './console/filter.ts'
export { allCalls, listCalls, type RecordedCall } from './listing.ts'
export { callsBeginningWith, callUnderWay, findCall } from './one-call.ts'
