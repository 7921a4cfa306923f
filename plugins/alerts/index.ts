// Exports for other plugins: open alerts for the Overview page, low balances for mails.
export { lowAccounts } from './account-conditions.ts'
export { openAlerts } from './store.ts'
export { AlertView, alertView } from './views.ts'
