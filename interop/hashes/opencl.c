/* The functions of OpenCL that neptune names. Tests compute on the processor; if one of these is called after all, it says that there is
   no device (CL_DEVICE_NOT_FOUND). */
#define ABSENT(name) int name(void) { return -1; }
ABSENT(clCreateBuffer)
ABSENT(clEnqueueNDRangeKernel)
ABSENT(clEnqueueReadBuffer)
ABSENT(clEnqueueWriteBuffer)
ABSENT(clGetKernelInfo)
ABSENT(clReleaseCommandQueue)
ABSENT(clReleaseContext)
ABSENT(clReleaseEvent)
ABSENT(clReleaseKernel)
ABSENT(clReleaseMemObject)
ABSENT(clSetKernelArg)
