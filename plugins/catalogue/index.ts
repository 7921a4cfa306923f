// The exports for other plugins: well-known providers, for the first steps.
export { KNOWN_FIELDS, knownView, Usd } from './console/known-providers.ts'
