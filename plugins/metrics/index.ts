// The metrics' own address, for the doctor, which looks whether it is free.
export { refuseMetricsAddress } from './metrics-listener.ts'
export { metrics_section } from './settings.ts'
