// The exports for other plugins: what unused vouchers are good for, and vouchers that come from another gateway.
export { importedVoucher, importVouchers } from './creating.ts'
export { type NewVoucher, unusedVoucherNanos } from './store.ts'
