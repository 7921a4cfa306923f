// Exports for other plugins: views of prices, margins and re-rated calls for catalogue pages; price lists for imports.
export {
  changeView,
  linesView,
  MarginLineView,
  marginsView,
  PriceChangeView,
  PriceLineView,
} from './console/price-views.ts'
export { RatingView, ratingView } from './console/rerating-views.ts'
export type { ListEntry } from './list/entry.ts'
export { entryPrice, freePrice } from './list/entry-price.ts'
export { readPriceList } from './list/list.ts'
export { matcherOf } from './list/matches.ts'
export { isPrice, type Kind, kindOfMode } from './list/rates.ts'
export { type RepricedModel, rerateCalls } from './rerating/recorded-calls.ts'
