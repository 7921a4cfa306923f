// Vouchers for other plugins: import from another gateway.
export { MAX_AMOUNT_NANOS } from './creating.ts'
export { hashOfImported, type ImportedVouchers, importedVoucher, importVouchers } from './importing.ts'
export type { NewVoucher } from './store.ts'
