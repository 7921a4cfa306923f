// The exports for other plugins: what unused vouchers are good for, and vouchers that come from another gateway.
export { MAX_AMOUNT_NANOS } from './creating.ts'
export { hashOfImported, type ImportedVouchers, importedVoucher, importVouchers } from './importing.ts'
export { type NewVoucher, unusedVoucherNanos } from './store.ts'
