// Calls for other plugins: the search of the console finds them by their request id.
export { callsBeginningWith } from './search.ts'
