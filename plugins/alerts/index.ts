// The exports for other plugins: open alerts, for the Overview.
export { openAlerts } from './store.ts'
export { AlertView, alertView } from './views.ts'
