// Exports for the doctor, which checks whether the address of the metrics is free.
export { refuseMetricsAddress } from './metrics-listener.ts'
export { metrics_section } from './settings.ts'
