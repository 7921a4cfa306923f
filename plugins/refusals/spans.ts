// The spans by which refused requests are counted, in seconds.

export const MINUTE_S = 60
export const HOUR_S = 3_600
