// What other plugins use of refused requests: their lists, in which they stand among calls, and their sums.
export { refused_requests } from './list.ts'
export {
  findRefusal,
  listRefusals,
  type RecordedRefusal,
  type RefusalFilter,
  refusalsBeginningWith,
} from './listing.ts'
export { countRefused } from './sums.ts'
export { timeIn } from './time.ts'
