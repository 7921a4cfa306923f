// The exports for other plugins: prices, margins and re-rated calls in JSON, for the pages of the catalogue.
export {
  changeView,
  linesView,
  MarginLineView,
  marginsView,
  PriceChangeView,
  PriceLineView,
} from './console/price-views.ts'
export { RatingView, ratingView } from './console/rerating-views.ts'
export { type RepricedModel, rerateCalls } from './rerating/recorded-calls.ts'
