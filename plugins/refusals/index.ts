// Exports for other plugins: lists of refused requests, which they show among calls, and sums.
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
