// Exports for the plugin of personal data: the place of [backup], whose archives still contain erased data.
export { configuredPlace, type WhereOptions, whereOptions } from './places/where.ts'
